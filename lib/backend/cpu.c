#include "config.h"

#include "backend/cpu.h"
#include "backend/ref.h"

#include "base/mem.h"

static void
cpu_close(h3d_device *dev)
{
  h3d_cpu *cpu = dev->state;

  if (cpu) {
    h3d_dnnl_close(&cpu->dnnl);
    h3d_ref_release(dev, cpu->work);
    h3d_free(cpu);
    dev->state = NULL;
  }
}

static h3d_status
cpu_open(h3d_device *dev, h3d_type type)
{
  h3d_status st;
  h3d_cpu *cpu;

  if (type != H3D_F32) {
    return h3d_fail(H3D_ERR_BACKEND,
                    "device cpu computes in fp32, not in %s: use --device ref "
                    "or --precision fp32",
                    h3d_type_name(type));
  }
  cpu = h3d_new(1, sizeof *cpu);
  st = h3d_dnnl_open(&cpu->dnnl);
  if (st != H3D_OK) {
    h3d_free(cpu);
    return st;
  }
  dev->type = type;
  dev->state = cpu;
  return H3D_OK;
}

h3d_status
h3d_cpu_reserve(h3d_device *dev, size_t bytes)
{
  h3d_cpu *cpu = dev->state;
  h3d_status st;

  if (bytes <= cpu->work_bytes) {
    return H3D_OK;
  }
  h3d_ref_release(dev, cpu->work);
  cpu->work_bytes = 0;
  st = h3d_ref_alloc(dev, bytes, &cpu->work);
  if (st == H3D_OK) {
    cpu->work_bytes = bytes;
  }
  return st;
}

const h3d_backend h3d_backend_cpu = {
  .name = "cpu",
  .help = "oneDNN and vectorised loops on all cores; fp32",
  .open = cpu_open,
  .close = cpu_close,
  .sync = h3d_ref_sync,
  .about = h3d_dnnl_about,
  .alloc = h3d_ref_alloc,
  .release = h3d_ref_release,
  .put = h3d_ref_put,
  .get = h3d_ref_get,
  .zero = h3d_ref_zero,
  .copy_box = h3d_ref_copy_box,
  .add_box = h3d_ref_add_box,
  .conv_plan = h3d_cpu_conv_plan,
  .conv_release = h3d_cpu_conv_release,
  .conv_about = h3d_cpu_conv_about,
  .conv_forward = h3d_cpu_conv_forward,
  .conv_backward_data = h3d_cpu_conv_backward_data,
  .conv_backward_weights = h3d_cpu_conv_backward_weights,
  .pool_forward = h3d_cpu_pool_forward,
  .pool_backward = h3d_cpu_pool_backward,
  .act_forward = h3d_cpu_act_forward,
  .act_backward = h3d_cpu_act_backward,
  .norm_moments = h3d_cpu_norm_moments,
  .norm_apply = h3d_cpu_norm_apply,
  .norm_sums = h3d_cpu_norm_sums,
  .norm_backward = h3d_cpu_norm_backward,
  .dense_forward = h3d_cpu_dense_forward,
  .dense_backward_data = h3d_cpu_dense_backward_data,
  .dense_backward_weights = h3d_cpu_dense_backward_weights,
  .bias_add = h3d_ref_bias_add,
  .bias_gradient = h3d_cpu_bias_gradient,
  .dropout = h3d_cpu_dropout,
  .scale = h3d_ref_scale,
  .add = h3d_cpu_add,
  .sum_squares = h3d_cpu_sum_squares,
  .is_finite = h3d_cpu_is_finite,
  .sgd = h3d_cpu_sgd,
  .adam = h3d_cpu_adam,
};
