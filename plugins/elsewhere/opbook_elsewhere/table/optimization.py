"""Steps of optimizers and clipping: what does the same elsewhere."""

from opbook_elsewhere.table.entries import Call

OPTIMIZATION = {
    "adamw_step": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.optim.AdamW(params, lr, (beta1, beta2), eps, weight_decay)",
            "It takes a list of parameters, writes into them, and its `weight_decay` is 0.01 by default. In "
            "`torch.optim.Adam` the decay is added to the gradient",
        ),
        "jax": "It has none; Optax has `adamw`, whose `weight_decay` is 1e-4 by default. Keras's `AdamW` has 0.004, "
        "and an epsilon of 1e-7",
        "onnx": "`Adam` of the preview training opset 1 adds the decay to the gradient, and eps to a root without the "
        "correction of the bias",
    },
    "clip_by_global_norm": {
        "numpy": "It has none; the [definition](#definition) is NumPy",
        "torch": Call(
            "torch.nn.utils.clip_grad_norm_(params, max_norm)",
            "It writes into the gradients of params, and returns the norm that they had. It divides by the norm "
            "+ 1e-6; a NaN makes all of them NaN",
        ),
        "jax": "It has none; Optax has `clip_by_global_norm`, a transformation, which does not return the norm",
        "onnx": "It has none",
    },
    "cosine_schedule": {
        "numpy": Call("floor + (lr - floor) * (1 + np.cos(np.pi * np.minimum(step, steps) / steps)) / 2", "No warmup"),
        "torch": "`torch.optim.lr_scheduler.CosineAnnealingLR` with `T_max` = steps and `eta_min` = floor, without a "
        "warmup; after T_max steps it rises again. `get_cosine_schedule_with_warmup` of transformers has an lr of 0 "
        "at step 0, and no floor",
        "jax": "It has none; Optax has `warmup_cosine_decay_schedule`, whose `init_value` is the lr at step 0, and "
        "whose `decay_steps` counts the warmup too, as here. Keras's `CosineDecay` does not count it, and its floor, "
        "`alpha`, is a share of lr",
        "onnx": "It has none",
    },
    "sgd_step": {
        "numpy": Call("params - lr * (grads + weight_decay * params)", "Without momentum"),
        "torch": Call(
            "torch.optim.SGD(params, lr, momentum, 0.0, weight_decay, nesterov)",
            "It takes a list of parameters and writes into them. Its `dampening`, 0 by default, scales what is added "
            "to the sum, but not in the first step",
        ),
        "jax": "It has none; Optax has `sgd`, whose decay is a transformation of its own, `add_decayed_weights`. "
        "Keras's `SGD` has lr inside the sum",
        "onnx": "`Momentum` of the preview training opset 1; `norm_coefficient` is the decay, and beta scales what is "
        "added to the sum, but not in the first step",
    },
}
