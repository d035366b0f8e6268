"""Convolution and pooling: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call, Operator

CONVOLUTION = {
    "avg_pool": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "F.avg_pool2d(x, size, stride, padding, count_include_pad=count_padding)",
            "`count_include_pad` is true by default, as here, and padding is at most half of the size. `ceil_mode` "
            "adds windows that reach beyond the padding",
        ),
        "jax": "Flax has `avg_pool`, whose channels are the last axis, and whose `stride` is 1 by default. Keras's "
        "`AveragePooling2D` has the channels last too, and never counts padding",
        "onnx": Operator(
            "AveragePool",
            11,
            "`count_include_pad` is 0 by default, as `count_padding=False`, and `strides` are 1 by default",
        ),
    },
    "conv2d": {
        "numpy": "It has none for images; the [definition](#definition) is NumPy. `scipy.signal.correlate2d(x, w, "
        '"valid")` does it for one channel. `convolve2d` there, and `np.convolve`, turn the kernel around',
        "torch": Call(
            "F.conv2d(x, w, b, stride, padding, dilation, groups)",
            'Rows are taken by `F.conv1d`. With `padding="same"`, the stride must be 1',
        ),
        "jax": "`jax.lax.conv_general_dilated` has the axes that are here, by default, and puts the odd place of "
        '`"SAME"` at the end. Keras and Flax do that too, but have the channels last: x is (..., H, W, C), '
        "and w (K, L, I, O). "
        "With a stride of 2, `padding=1` and their `same` do not begin at the same pixel",
        "onnx": Operator(
            "Conv",
            11,
            "`auto_pad` of SAME_UPPER puts the odd place of padding at the end, as here, and SAME_LOWER at the "
            "beginning; `pads` has all beginnings first, then all ends",
        ),
    },
    "max_pool": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "F.max_pool2d(x, size, stride, padding)",
            "Of equal entries, the first gets all of the cotangent, and padding is at most half of the size",
        ),
        "jax": "Flax has `max_pool`, whose channels are the last axis, and whose `stride` is 1 by default. Of equal "
        "entries, one gets all of the cotangent. Keras's `MaxPooling2D` has the channels last too",
        "onnx": Operator("MaxPool", 12, "`strides` are 1 by default"),
    },
}
