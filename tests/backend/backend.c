#include "config.h"

#include "tap.h"

#include "backend/backend.h"
#include "backend/build.h"
#include "backend/devices.h"
#include "capture.h"

TAP_RANKS("1")

/* Every member of the table is a pointer. */
static int
is_complete(const h3d_backend *be)
{
  void *entry[sizeof *be / sizeof(void *)];
  size_t i;

  memcpy(entry, be, sizeof entry);
  for (i = 0; i < sizeof entry / sizeof entry[0]; i++) {
    if (!entry[i]) {
      return 0;
    }
  }
  return 1;
}

static void
test_refusals(void)
{
  h3d_device dev;

  ok(h3d_device_open("gpu", H3D_F32, &dev) == H3D_ERR_USAGE
       && strstr(h3d_why(), "\"gpu\"") && strstr(h3d_why(), "auto")
       && strstr(h3d_why(), "ref"),
     "an unknown device is refused, the known ones named");
  ok(dev.be == NULL, "nothing is open then");
  h3d_device_close(&dev);
  if (H3D_HAVE_CPU) {
    ok(h3d_device_open("cpu", H3D_F64, &dev) == H3D_ERR_BACKEND
         && strstr(h3d_why(), "fp64") && strstr(h3d_why(), "--device ref"),
       "cpu refuses fp64 and says what has it");
  } else {
    ok(h3d_device_open("cpu", H3D_F32, &dev) == H3D_ERR_BACKEND
         && strstr(h3d_why(), "--with-cpu"),
       "without cpu, the configure option is named");
  }
}

static void
test_answer(void)
{
  static const h3d_opt table[] = { { 0 } };
  const h3d_opts o = { "h3d-toy", "", "A toy.", table };
  char *text;

  capture_begin(1);
  h3d_build_answer(&o, 1);
  text = capture_end();
  ok(strstr(text, "Usage: h3d-toy") == text, "--help is answered");
  h3d_free(text);
  capture_begin(1);
  h3d_build_answer(&o, 2);
  text = capture_end();
  ok(strstr(text, "h3d-toy (h3d) ") == text && strstr(text, "\nHDF5 ")
       && strstr(text, "\ndevice ref: plain loops"),
     "--version says libraries and devices");
  h3d_free(text);
}

void
tap_main(void)
{
  h3d_device dev;
  int i, t, twice = 0, complete = 1;

  for (i = 0; h3d_backends[i]; i++) {
    complete &= is_complete(h3d_backends[i]);
    twice += strcmp(h3d_backends[i]->name, "ref") == 0;
  }
  ok(complete, "no entry of any of %d tables is empty", i);
  ok(twice == 1, "ref is there once");
  for (t = H3D_F32; t <= H3D_F64; t++) {
    ok(h3d_device_open("auto", (h3d_type)t, &dev) == H3D_OK
         && dev.type == (h3d_type)t && strlen(dev.be->about()) > 0,
       "auto opens in %s", h3d_type_name((h3d_type)t));
    if (t == H3D_F32) {
      ok(dev.be == h3d_backends[0], "auto takes the best");
    }
    h3d_device_close(&dev);
  }
  for (t = H3D_F32; t <= H3D_F64; t++) {
    h3d_type found;

    ok(h3d_type_find(h3d_type_name((h3d_type)t), &found)
         && found == (h3d_type)t,
       "%s is found by name", h3d_type_name((h3d_type)t));
    ok(!h3d_type_find("fp16", &found), "fp16 is not");
  }
  ok(h3d_type_size(H3D_F32) == 4 && h3d_type_size(H3D_F64) == 8, "sizes");
  test_refusals();
  test_answer();
}
