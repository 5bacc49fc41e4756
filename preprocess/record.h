/* record.h: what a dataset is made of and how, in lines, so that one who goes
 * on with it can be told what is not as it was.
 */
#ifndef H3D_PREPROCESS_RECORD_H
#define H3D_PREPROCESS_RECORD_H

#include "convert.h"
#include "options.h"

/* All that the samples depend on, and how they are dealt to ranks: options,
 * and per file its name, length and the time of its last change.  h3d_free it.
 */
char *h3d_record_of(const options *o, const h3d_convert *c);

/* Collective over all ranks: may the dataset be written, and is any of it
 * there?  Needs c->options.record; fills in c->options.resume.
 */
h3d_status h3d_record_look(const options *o, h3d_convert *c, h3d_resume *what);

#endif /* H3D_PREPROCESS_RECORD_H */
