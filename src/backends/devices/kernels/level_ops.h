/* What devices do for all samples at once: a row for each primitive. Read by OpenCL C and by C, so it is a macro, and
 * neither includes anything nor has variable arguments.
 *
 *   OP(primitive, forms of its first argument, of the second, of the third, what is done)
 *   ALIAS(name of the dialect, primitive from which it differs only for arguments that are left to the host)
 *
 * Arguments of other forms are left to the host. a, b and d are the arguments, h and w the first one's height and width,
 * and c is the call; level_calls.cl has the names of forms. */
/* What can be a function's argument, too: first what measures an object, then, from box on, what makes indices of it. */
#define LEVEL_FUNCTIONS(OP) \
    OP(size, PATCH | OBJECTS | NOTHING, ANY, ANY, give_int(c, (int)a->n)) \
    OP(height, GRID | PATCH, ANY, ANY, give_int(looked_at(c, a), h)) \
    OP(width, GRID | PATCH, ANY, ANY, give_int(looked_at(c, a), w)) \
    OP(uppermost, PATCH, ANY, ANY, give_int(looked_at(c, a), a->a)) \
    OP(lowermost, PATCH, ANY, ANY, give_int(looked_at(c, a), a->a + h - 1)) \
    OP(leftmost, PATCH, ANY, ANY, give_int(looked_at(c, a), a->b)) \
    OP(rightmost, PATCH, ANY, ANY, give_int(looked_at(c, a), a->b + w - 1)) \
    OP(box, PATCH | NOTHING, ANY, ANY, outline(looked_at(c, a), a, 0)) \
    OP(inbox, PATCH, ANY, ANY, outline(looked_at(c, a), a, -1)) \
    OP(outbox, PATCH, ANY, ANY, outline(looked_at(c, a), a, 1)) \
    OP(backdrop, PATCH, ANY, ANY, give_box(looked_at(c, a), a->a, a->b, h, w, 0)) \
    OP(delta, INDICES | NOTHING, ANY, ANY, delta(looked_at(c, a), a))

#define LEVEL_TABLE(OP, ALIAS) \
    OP(rot90, GRID, ANY, ANY, walk(c, a, w, h, (h - 1) * w, 1, -w)) \
    OP(rot180, GRID, ANY, ANY, walk(c, a, h, w, h * w - 1, -w, -1)) \
    OP(rot270, GRID, ANY, ANY, walk(c, a, w, h, w - 1, -1, w)) \
    OP(hmirror, GRID, ANY, ANY, walk(c, a, h, w, (h - 1) * w, -w, 1)) \
    ALIAS(hmirror_t, hmirror) \
    OP(vmirror, GRID, ANY, ANY, walk(c, a, h, w, w - 1, w, -1)) \
    ALIAS(vmirror_t, vmirror) \
    OP(dmirror, GRID, ANY, ANY, walk(c, a, w, h, 0, 1, w)) \
    ALIAS(dmirror_t, dmirror) \
    OP(cmirror, GRID, ANY, ANY, walk(c, a, w, h, h * w - 1, -1, -w)) \
    ALIAS(cmirror_t, cmirror) \
    OP(tophalf, GRID, ANY, ANY, cut(c, a, 0, 0, h / 2, w)) \
    OP(bottomhalf, GRID, ANY, ANY, cut(c, a, h - h / 2, 0, h / 2, w)) \
    OP(lefthalf, GRID, ANY, ANY, cut_columns(c, a, 0, w / 2)) \
    OP(righthalf, GRID, ANY, ANY, cut_columns(c, a, w - w / 2, w / 2)) \
    OP(trim, GRID, ANY, ANY, cut(c, a, 1, 1, h - 2, w - 2)) \
    OP(crop, GRID, PAIR, PAIR, cut(c, a, b->a, b->b, d->a, d->b)) \
    OP(subgrid, PATCH, GRID, ANY, cut(steps(c, a->n / 64 * 2), b, a->a, a->b, h, w)) \
    OP(replace, GRID, INT, INT, recolor_grid(c, a, b, d, 0)) \
    OP(switch, GRID, INT, INT, recolor_grid(c, a, b, d, 1)) \
    OP(cellwise, GRID, GRID, INT, cellwise(c, a, b, d)) \
    OP(upscale, GRID, INT, ANY, upscale(c, a, b->a, b->a)) \
    ALIAS(upscale_t, upscale) \
    OP(hupscale, GRID, INT, ANY, upscale(c, a, 1, b->a)) \
    OP(vupscale, GRID, INT, ANY, upscale(c, a, b->a, 1)) \
    OP(downscale, GRID, INT, ANY, downscale(c, a, b->a)) \
    OP(hconcat, GRID, GRID, ANY, put_beside(c, a, b)) \
    OP(vconcat, GRID, GRID, ANY, put_below(c, a, b)) \
    OP(canvas, INT, PAIR, ANY, canvas(c, a, b)) \
    OP(shape, GRID | PATCH, ANY, ANY, give_pair(looked_at(c, a), h, w)) \
    ALIAS(shape_t, shape) \
    ALIAS(shape_f, shape) \
    ALIAS(height_t, height) \
    ALIAS(width_t, width) \
    OP(portrait, GRID | PATCH, ANY, ANY, give_int(looked_at(c, a), h > w)) \
    ALIAS(portrait_t, portrait) \
    OP(ofcolor, GRID, INT, ANY, ofcolor(c, a, b)) \
    OP(asindices, GRID, ANY, ANY, give_box(c, 0, 0, h, w, 0)) \
    OP(asobject, GRID, ANY, ANY, asobject(c, a)) \
    OP(fill, GRID, INT, PATCH | NOTHING, paint_grid(c, a, d, b, 0)) \
    OP(underfill, GRID, INT, PATCH | NOTHING, paint_grid(c, a, d, b, 1)) \
    OP(cover, GRID, PATCH | NOTHING, ANY, cover(c, a, b)) \
    OP(paint, GRID, OBJECT | NOTHING, ANY, paint_grid(c, a, b, 0, 0)) \
    OP(underpaint, GRID, OBJECT | NOTHING, ANY, paint_grid(c, a, b, 0, 1)) \
    OP(recolor, INT, INDICES, ANY, recolor(c, a, b)) \
    ALIAS(recolor_i, recolor) \
    OP(shift, PATCH, PAIR, ANY, shift(c, a, b->a, b->b)) \
    OP(normalize, PATCH, ANY, ANY, shift(c, a, -a->a, -a->b)) \
    OP(combine, INDICES | NOTHING, INDICES | NOTHING, ANY, combine_patches(c, LEVEL_combine, a, b)) \
    ALIAS(combine_f, combine) \
    OP(intersection, INDICES | NOTHING, INDICES | NOTHING, ANY, combine_patches(c, LEVEL_intersection, a, b)) \
    OP(difference, INDICES | NOTHING, INDICES | NOTHING, ANY, combine_patches(c, LEVEL_difference, a, b)) \
    OP(ulcorner, PATCH, ANY, ANY, give_pair(looked_at(c, a), a->a, a->b)) \
    OP(urcorner, PATCH, ANY, ANY, give_pair(looked_at(c, a), a->a, a->b + w - 1)) \
    OP(llcorner, PATCH, ANY, ANY, give_pair(looked_at(c, a), a->a + h - 1, a->b)) \
    OP(lrcorner, PATCH, ANY, ANY, give_pair(looked_at(c, a), a->a + h - 1, a->b + w - 1)) \
    OP(center, PATCH, ANY, ANY, give_pair(looked_at(c, a), a->a + h / 2, a->b + w / 2)) \
    OP(objects, GRID, INT, INT, objects(c, a)) \
    OP(o_g, GRID, INT, ANY, numbered_objects(c, a, b->a)) \
    OP(partition, GRID, ANY, ANY, partition(c, a, 0)) \
    OP(fgpartition, GRID, ANY, ANY, partition(c, a, 1)) \
    OP(colorfilter, OBJECTS | NOTHING, INT, ANY, filter_objects(c, a, 0, b->a)) \
    OP(sizefilter, OBJECTS | NOTHING, INT, ANY, filter_objects(c, a, 1, b->a)) \
    OP(argmax, OBJECTS | NOTHING, FUNCTION, ANY, pick_object(c, a, b, 1, 0)) \
    ALIAS(argmax_f, argmax) \
    OP(argmin, OBJECTS | NOTHING, FUNCTION, ANY, pick_object(c, a, b, -1, 0)) \
    ALIAS(argmin_f, argmin) \
    OP(valmax, OBJECTS | NOTHING, FUNCTION, ANY, pick_object(c, a, b, 1, 1)) \
    OP(valmin, OBJECTS | NOTHING, FUNCTION, ANY, pick_object(c, a, b, -1, 1)) \
    OP(merge, OBJECTS | NOTHING, ANY, ANY, merge_objects(c, a)) \
    ALIAS(merge_f, merge) \
    OP(mapply, FUNCTION, OBJECTS | NOTHING, ANY, map_merged(c, a, b)) \
    ALIAS(mapply_f, mapply) \
    OP(color, OBJECT, ANY, ANY, color_of_object(c, a)) \
    OP(mostcolor, GRID, ANY, ANY, common_color_of(c, a, 0)) \
    ALIAS(mostcolor_t, mostcolor) \
    OP(leastcolor, GRID, ANY, ANY, common_color_of(c, a, 1)) \
    ALIAS(leastcolor_t, leastcolor) \
    OP(colorcount, GRID, INT, ANY, colorcount(c, a, b)) \
    ALIAS(colorcount_t, colorcount) \
    OP(add, NUMBERS, NUMBERS, ANY, CALCULATE(x + y)) \
    OP(subtract, NUMBERS, NUMBERS, ANY, CALCULATE(x - y)) \
    OP(multiply, NUMBERS, NUMBERS, ANY, CALCULATE(x * y)) \
    OP(double, NUMBERS, ANY, ANY, CALCULATE(x * 2)) \
    OP(halve, NUMBERS, ANY, ANY, CALCULATE(x / 2 - (x % 2 < 0))) \
    OP(increment, NUMBERS, ANY, ANY, CALCULATE(x + 1)) \
    OP(decrement, NUMBERS, ANY, ANY, CALCULATE(x - 1)) \
    OP(invert, NUMBERS, ANY, ANY, CALCULATE(-x)) \
    OP(first, PAIR | OBJECTS | NOTHING, ANY, ANY, give_end(c, a, 0)) \
    OP(last, PAIR | OBJECTS | NOTHING, ANY, ANY, give_end(c, a, 1)) \
    OP(astuple, INT, INT, ANY, give_pair(c, a->a, b->a)) \
    OP(stamp_keep, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), color_stamp(c, LEVEL_stamp_keep, a, b->a))) \
    OP(stamp_erase, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), color_stamp(c, LEVEL_stamp_erase, a, b->a))) \
    OP(stamp_paint, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), color_stamp(c, LEVEL_stamp_paint, a, b->a))) \
    OP(stamp_trim, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), trim_stamp(c, a, b->a))) \
    OP(stamp_box, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), box_stamp(c, a, b->a))) \
    OP(stamp_fill, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), fill_stamp(c, a, b->a))) \
    OP(stamp_turn, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), turn_stamp(c, a, b->a))) \
    OP(stamp_rays, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), rays_of_stamp(c, a, b->a))) \
    OP(stamp_frame, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), frame_stamp(c, a, b->a))) \
    OP(stamp_join, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), join_stamp(c, a, b->a))) \
    OP(stamp_half, ANY, ANY, ANY, IF(is_stamp_and_how(c, a, b), half_stamp(c, a, b->a))) \
    OP(stamp_home, ANY, ANY, ANY, IF(is_stamp_alone(c, a), home_stamp(c, a))) \
    OP(stamp_main, ANY, ANY, ANY, IF(is_stamp_alone(c, a), main_stamp(c, a))) \
    OP(stamp_paste, ANY, ANY, ANY, IF(is_stamp_and_size(c, a, b), paste_stamp(c, a, b->a, b->b))) \
    OP(stamp_corner, ANY, ANY, ANY, IF(is_stamp_and_size(c, a, b) && is_how(c, d), corner_stamp(c, a, b->a, b->b, d->a))) \
    OP(stamp_scale, ANY, ANY, ANY, IF(is_stamp_and_size(c, a, b), scale_stamp(c, a, b->a, b->b))) \
    OP(stamp_tile, ANY, ANY, ANY, IF(is_stamp_and_size(c, a, b) && is_how(c, d), tile_stamp(c, a, b->a, b->b, d->a))) \
    OP(stamp_lay, ANY, ANY, ANY, lay_stamp(c, a, b, d)) \
    OP(stamp_table, ANY, ANY, ANY, table_stamp(c, a, b, d))
