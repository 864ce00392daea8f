/* What devices do for all samples at once: a row for each primitive. Read by OpenCL C and by C, so it is a macro, and
 * neither includes anything nor has variable arguments.
 *
 *   OP(primitive, forms of its first argument, of the second, of the third, what is done)
 *   ALIAS(name of the dialect, primitive from which it differs only for arguments that are left to the host)
 *
 * Arguments of other forms are left to the host. a, b and d are the arguments, h and w the first one's height and width,
 * and c is the call. */
/* What can be a function's argument, too: first what measures an object, from box on what makes indices of it, and
 * from dneighbors on what makes them of a place. */
#define LEVEL_FUNCTIONS(OP) \
    OP(size, IS_PATCH | IS_OBJECTS | IS_NOTHING, IS_ANY, IS_ANY, give_int(c, (int)a->n)) \
    OP(height, IS_GRID | IS_PATCH, IS_ANY, IS_ANY, give_int(looked_at(c, a), h)) \
    OP(width, IS_GRID | IS_PATCH, IS_ANY, IS_ANY, give_int(looked_at(c, a), w)) \
    OP(uppermost, IS_PATCH, IS_ANY, IS_ANY, give_int(looked_at(c, a), a->a)) \
    OP(lowermost, IS_PATCH, IS_ANY, IS_ANY, give_int(looked_at(c, a), a->a + h - 1)) \
    OP(leftmost, IS_PATCH, IS_ANY, IS_ANY, give_int(looked_at(c, a), a->b)) \
    OP(rightmost, IS_PATCH, IS_ANY, IS_ANY, give_int(looked_at(c, a), a->b + w - 1)) \
    OP(box, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, outline(c, a, 0)) \
    OP(inbox, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, outline(c, a, -1)) \
    OP(outbox, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, outline(c, a, 1)) \
    OP(backdrop, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, backdrop(c, a)) \
    OP(delta, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, delta(looked_at(c, a), a)) \
    OP(dneighbors, IS_PAIR, IS_ANY, IS_ANY, neighbors(c, a, 0, 1)) \
    OP(ineighbors, IS_PAIR, IS_ANY, IS_ANY, neighbors(c, a, 1, 0)) \
    OP(neighbors, IS_PAIR, IS_ANY, IS_ANY, neighbors(c, a, 1, 1))

#define LEVEL_TABLE(OP, ALIAS) \
    OP(rot90, IS_GRID, IS_ANY, IS_ANY, walk(c, a, w, h, (h - 1) * w, 1, -w)) \
    OP(rot180, IS_GRID, IS_ANY, IS_ANY, walk(c, a, h, w, h * w - 1, -w, -1)) \
    OP(rot270, IS_GRID, IS_ANY, IS_ANY, walk(c, a, w, h, w - 1, -1, w)) \
    OP(hmirror, IS_GRID, IS_ANY, IS_ANY, walk(c, a, h, w, (h - 1) * w, -w, 1)) \
    ALIAS(hmirror_t, hmirror) \
    OP(vmirror, IS_GRID, IS_ANY, IS_ANY, walk(c, a, h, w, w - 1, w, -1)) \
    ALIAS(vmirror_t, vmirror) \
    OP(dmirror, IS_GRID, IS_ANY, IS_ANY, walk(c, a, w, h, 0, 1, w)) \
    ALIAS(dmirror_t, dmirror) \
    OP(cmirror, IS_GRID, IS_ANY, IS_ANY, walk(c, a, w, h, h * w - 1, -1, -w)) \
    ALIAS(cmirror_t, cmirror) \
    OP(tophalf, IS_GRID, IS_ANY, IS_ANY, cut(c, a, 0, 0, h / 2, w)) \
    OP(bottomhalf, IS_GRID, IS_ANY, IS_ANY, cut(c, a, h - h / 2, 0, h / 2, w)) \
    OP(lefthalf, IS_GRID, IS_ANY, IS_ANY, cut_columns(c, a, 0, w / 2)) \
    OP(righthalf, IS_GRID, IS_ANY, IS_ANY, cut_columns(c, a, w - w / 2, w / 2)) \
    OP(trim, IS_GRID, IS_ANY, IS_ANY, cut(c, a, 1, 1, h - 2, w - 2)) \
    OP(crop, IS_GRID, IS_PAIR, IS_PAIR, cut(c, a, b->a, b->b, d->a, d->b)) \
    OP(subgrid, IS_PATCH | IS_NOTHING, IS_GRID, IS_ANY, subgrid(c, a, b)) \
    OP(replace, IS_GRID, IS_INT, IS_INT, recolor_grid(c, a, b, d, 0)) \
    OP(switch, IS_GRID, IS_INT, IS_INT, recolor_grid(c, a, b, d, 1)) \
    OP(cellwise, IS_GRID, IS_GRID, IS_INT, cellwise(c, a, b, d)) \
    OP(upscale, IS_GRID, IS_INT, IS_ANY, upscale(c, a, b->a, b->a)) \
    ALIAS(upscale_t, upscale) \
    OP(hupscale, IS_GRID, IS_INT, IS_ANY, upscale(c, a, 1, b->a)) \
    OP(vupscale, IS_GRID, IS_INT, IS_ANY, upscale(c, a, b->a, 1)) \
    OP(downscale, IS_GRID, IS_INT, IS_ANY, downscale(c, a, b->a)) \
    OP(hconcat, IS_GRID, IS_GRID, IS_ANY, put_beside(c, a, b)) \
    OP(vconcat, IS_GRID, IS_GRID, IS_ANY, put_below(c, a, b)) \
    OP(canvas, IS_INT, IS_PAIR, IS_ANY, canvas(c, a, b)) \
    OP(shape, IS_GRID | IS_PATCH, IS_ANY, IS_ANY, give_pair(looked_at(c, a), h, w)) \
    ALIAS(shape_t, shape) \
    ALIAS(shape_f, shape) \
    ALIAS(height_t, height) \
    ALIAS(width_t, width) \
    OP(portrait, IS_GRID | IS_PATCH, IS_ANY, IS_ANY, give_int(looked_at(c, a), h > w)) \
    ALIAS(portrait_t, portrait) \
    OP(ofcolor, IS_GRID, IS_INT, IS_ANY, ofcolor(c, a, b)) \
    OP(asindices, IS_GRID, IS_ANY, IS_ANY, give_box(c, 0, 0, h, w, 0)) \
    OP(asobject, IS_GRID, IS_ANY, IS_ANY, asobject(c, a)) \
    OP(fill, IS_GRID, IS_INT, IS_PATCH | IS_NOTHING, paint_grid(c, a, d, b, 0)) \
    OP(underfill, IS_GRID, IS_INT, IS_PATCH | IS_NOTHING, paint_grid(c, a, d, b, 1)) \
    OP(cover, IS_GRID, IS_PATCH | IS_NOTHING, IS_ANY, cover(c, a, b)) \
    OP(paint, IS_GRID, IS_OBJECT | IS_NOTHING, IS_ANY, paint_grid(c, a, b, 0, 0)) \
    OP(underpaint, IS_GRID, IS_OBJECT | IS_NOTHING, IS_ANY, paint_grid(c, a, b, 0, 1)) \
    OP(recolor, IS_INT, IS_INDICES, IS_ANY, recolor(c, a, b)) \
    ALIAS(recolor_i, recolor) \
    OP(shift, IS_PATCH | IS_NOTHING, IS_PAIR, IS_ANY, shift(c, a, b->a, b->b)) \
    OP(normalize, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, shift(c, a, -a->a, -a->b)) \
    OP(combine, IS_INDICES | IS_NOTHING, IS_INDICES | IS_NOTHING, IS_ANY, combine_patches(c, LEVEL_combine, a, b)) \
    ALIAS(combine_f, combine) \
    OP(intersection, IS_INDICES | IS_NOTHING, IS_INDICES | IS_NOTHING, IS_ANY, combine_patches(c, LEVEL_intersection, a, b)) \
    OP(difference, IS_INDICES | IS_NOTHING, IS_INDICES | IS_NOTHING, IS_ANY, combine_patches(c, LEVEL_difference, a, b)) \
    OP(ulcorner, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, give_corner(c, a, a->a, a->b)) \
    OP(urcorner, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, give_corner(c, a, a->a, a->b + w - 1)) \
    OP(llcorner, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, give_corner(c, a, a->a + h - 1, a->b)) \
    OP(lrcorner, IS_PATCH | IS_NOTHING, IS_ANY, IS_ANY, give_corner(c, a, a->a + h - 1, a->b + w - 1)) \
    OP(center, IS_PATCH, IS_ANY, IS_ANY, give_pair(looked_at(c, a), a->a + h / 2, a->b + w / 2)) \
    OP(objects, IS_GRID, IS_INT, IS_INT, objects(c, a)) \
    OP(o_g, IS_GRID, IS_INT, IS_ANY, numbered_objects(c, a, b->a)) \
    OP(partition, IS_GRID, IS_ANY, IS_ANY, partition(c, a, 0)) \
    OP(fgpartition, IS_GRID, IS_ANY, IS_ANY, partition(c, a, 1)) \
    OP(colorfilter, IS_OBJECTS | IS_NOTHING, IS_INT, IS_ANY, filter_objects(c, a, 0, b->a)) \
    OP(sizefilter, IS_OBJECTS | IS_NOTHING, IS_INT, IS_ANY, filter_objects(c, a, 1, b->a)) \
    OP(argmax, IS_OBJECTS | IS_NOTHING, IS_FUNCTION, IS_ANY, pick_object(c, a, b, 1, 0)) \
    ALIAS(argmax_f, argmax) \
    OP(argmin, IS_OBJECTS | IS_NOTHING, IS_FUNCTION, IS_ANY, pick_object(c, a, b, -1, 0)) \
    ALIAS(argmin_f, argmin) \
    OP(valmax, IS_OBJECTS | IS_NOTHING, IS_FUNCTION, IS_ANY, pick_object(c, a, b, 1, 1)) \
    OP(valmin, IS_OBJECTS | IS_NOTHING, IS_FUNCTION, IS_ANY, pick_object(c, a, b, -1, 1)) \
    OP(merge, IS_OBJECTS | IS_NOTHING, IS_ANY, IS_ANY, merge_objects(c, a)) \
    ALIAS(merge_f, merge) \
    OP(mapply, IS_FUNCTION, IS_OBJECTS | IS_INDICES | IS_NOTHING, IS_ANY, map_merged(c, a, b)) \
    ALIAS(mapply_f, mapply) \
    OP(color, IS_OBJECT, IS_ANY, IS_ANY, color_of_object(c, a)) \
    OP(mostcolor, IS_GRID, IS_ANY, IS_ANY, common_color_of(c, a, 0)) \
    ALIAS(mostcolor_t, mostcolor) \
    OP(leastcolor, IS_GRID, IS_ANY, IS_ANY, common_color_of(c, a, 1)) \
    ALIAS(leastcolor_t, leastcolor) \
    OP(colorcount, IS_GRID, IS_INT, IS_ANY, colorcount(c, a, b)) \
    ALIAS(colorcount_t, colorcount) \
    OP(add, IS_NUMBERS, IS_NUMBERS, IS_ANY, CALCULATE(x + y)) \
    OP(subtract, IS_NUMBERS, IS_NUMBERS, IS_ANY, CALCULATE(x - y)) \
    OP(multiply, IS_NUMBERS, IS_NUMBERS, IS_ANY, CALCULATE(x * y)) \
    OP(double, IS_NUMBERS, IS_ANY, IS_ANY, CALCULATE(x * 2)) \
    OP(halve, IS_NUMBERS, IS_ANY, IS_ANY, CALCULATE(x / 2 - (x % 2 < 0))) \
    OP(increment, IS_NUMBERS, IS_ANY, IS_ANY, CALCULATE(x + 1)) \
    OP(decrement, IS_NUMBERS, IS_ANY, IS_ANY, CALCULATE(x - 1)) \
    OP(invert, IS_NUMBERS, IS_ANY, IS_ANY, CALCULATE(-x)) \
    OP(first, IS_PAIR | IS_INDICES | IS_OBJECTS | IS_NOTHING, IS_ANY, IS_ANY, give_end(c, a, 0)) \
    OP(last, IS_PAIR | IS_INDICES | IS_OBJECTS | IS_NOTHING, IS_ANY, IS_ANY, give_end(c, a, 1)) \
    OP(astuple, IS_INT, IS_INT, IS_ANY, give_pair(c, a->a, b->a)) \
    OP(stamp_keep, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), color_stamp(c, LEVEL_stamp_keep, a, b->a))) \
    OP(stamp_erase, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), color_stamp(c, LEVEL_stamp_erase, a, b->a))) \
    OP(stamp_paint, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), color_stamp(c, LEVEL_stamp_paint, a, b->a))) \
    OP(stamp_trim, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), trim_stamp(c, a, b->a))) \
    OP(stamp_box, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), box_stamp(c, a, b->a))) \
    OP(stamp_fill, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), fill_stamp(c, a, b->a))) \
    OP(stamp_turn, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), turn_stamp(c, a, b->a))) \
    OP(stamp_rays, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), rays_of_stamp(c, a, b->a))) \
    OP(stamp_frame, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), frame_stamp(c, a, b->a))) \
    OP(stamp_join, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), join_stamp(c, a, b->a))) \
    OP(stamp_half, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_how(c, a, b), half_stamp(c, a, b->a))) \
    OP(stamp_home, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_alone(c, a), home_stamp(c, a))) \
    OP(stamp_main, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_alone(c, a), main_stamp(c, a))) \
    OP(stamp_paste, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_size(c, a, b), paste_stamp(c, a, b->a, b->b))) \
    OP(stamp_corner, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_size(c, a, b) && is_how(c, d), corner_stamp(c, a, b->a, b->b, d->a))) \
    OP(stamp_scale, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_size(c, a, b), scale_stamp(c, a, b->a, b->b))) \
    OP(stamp_tile, IS_ANY, IS_ANY, IS_ANY, IF(is_stamp_and_size(c, a, b) && is_how(c, d), tile_stamp(c, a, b->a, b->b, d->a))) \
    OP(stamp_lay, IS_ANY, IS_ANY, IS_ANY, lay_stamp(c, a, b, d)) \
    OP(stamp_table, IS_ANY, IS_ANY, IS_ANY, table_stamp(c, a, b, d))
