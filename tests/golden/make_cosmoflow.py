#!/usr/bin/env python3
"""Make cosmoflow_values.h: what PyTorch computes for a tiny CosmoFlow.

Run by hand where PyTorch and numpy are (any version with float64 on the CPU;
the committed values come from 1.13):

    python3 make_cosmoflow.py > cosmoflow_values.h
    clang-format -i cosmoflow_values.h

The network is CosmoFlow's (arXiv 2007.12856) for 32 voxels with narrow layers,
without dropout, with and without batch normalization.  Weights, inputs and
targets are h3d's counter-based random numbers (lib/base/rng.h), written anew
here, so that cosmoflow.c makes the same ones and nothing large is stored.
"""
import numpy as np
import torch

SEED, USE_TEST = 2007, 6
CHANNELS, SIZE, BATCH, TARGETS, STEPS = 4, 32, 2, 4, 10
LR, MOMENTUM, DECAY = 0.02, 0.9, 0.9
CONVS = [2, 4, 8, 16, 32, 32, 32]
DENSES = [64, 16, TARGETS]
STREAM_INPUT, STREAM_TARGET, STREAM_WEIGHT = 1, 2, 16


def philox(key, counter):
    """Philox4x32-10 (Salmon et al., SC11) over arrays of counters."""
    k = [np.uint64(x) for x in key]
    c = [np.asarray(x, np.uint64) for x in counter]
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        p0 = np.uint64(0xD2511F53) * c[0]
        p1 = np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> half) ^ c[1] ^ k[0], p1 & low,
             (p0 >> half) ^ c[3] ^ k[1], p0 & low]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low,
             (k[1] + np.uint64(0xBB67AE85)) & low]
    return c


def uniform(stream, n):
    """Numbers 0..n-1 in [0,1) of h3d_rng_init(SEED, TEST, stream, 0)."""
    zero = np.zeros(1, np.uint64)
    mixed = philox([SEED, 0], [zero + np.uint64(USE_TEST), zero, zero, zero])
    i = np.arange((n + 3) // 4, dtype=np.uint64)
    words = philox([mixed[0][0], mixed[1][0]],
                   [i, i * 0, i * 0 + np.uint64(stream), i * 0])
    return np.stack(words, 1).reshape(-1)[:n] * 2.0**-32


def network(norm):
    layers, c = [], CHANNELS
    for i, out in enumerate(CONVS):
        layers.append(torch.nn.Conv3d(c, out, 3, 2 if i == 3 else 1, 1,
                                      bias=False))
        if norm:
            layers.append(torch.nn.BatchNorm3d(out, 1e-5, 1 - DECAY))
            # h3d's averages begin at 0 and are corrected when used.
            layers[-1].running_var.zero_()
        layers.append(torch.nn.LeakyReLU(0.01))
        if i < 3:
            layers.append(torch.nn.AvgPool3d(3, 2, 1))
        c = out
    layers.append(torch.nn.Flatten())
    c *= 2**3
    for i, out in enumerate(DENSES):
        layers.append(torch.nn.Linear(c, out))
        if i < 2:
            layers.append(torch.nn.LeakyReLU(0.01))
        c = out
    return torch.nn.Sequential(*layers)


def fill(net):
    """Matrices in +-sqrt(6/(fan_in+fan_out)), vectors +-0.1, scales 1 more."""
    i = 0
    for layer in net:
        for name, p in layer.named_parameters(recurse=False):
            u = 2 * uniform(STREAM_WEIGHT + i, p.numel()) - 1
            if p.dim() > 1:
                taps = p[0, 0].numel()
                u *= np.sqrt(6 / ((p.shape[0] + p.shape[1]) * taps))
            else:
                u *= 0.1
            if isinstance(layer, torch.nn.BatchNorm3d) and name == "weight":
                u += 1
            p.data = torch.from_numpy(u.reshape(p.shape))
            i += 1


def evaluate(net, x, t):
    """Loss with running averages corrected for their start at 0."""
    net.eval()
    for layer in net:
        if isinstance(layer, torch.nn.BatchNorm3d):
            whole = 1 - DECAY**int(layer.num_batches_tracked)
            layer.running_mean /= whole
            layer.running_var /= whole
    return float(((net(x) - t)**2).mean())


def show(name, norm):
    torch.set_default_dtype(torch.float64)
    net = network(norm)
    fill(net)
    shape = (BATCH, CHANNELS, SIZE, SIZE, SIZE)
    x = torch.from_numpy(uniform(STREAM_INPUT, np.prod(shape)).reshape(shape))
    t = torch.from_numpy(2 * uniform(STREAM_TARGET, BATCH * TARGETS)
                         - 1).reshape(BATCH, TARGETS)
    params = list(net.parameters())
    opt = torch.optim.SGD(params, LR, MOMENTUM)
    losses, grads, mae = [], [], 0
    net.train()
    for step in range(STEPS + 1):
        opt.zero_grad()
        y = net(x)
        loss = ((y - t)**2).mean()
        losses.append(float(loss))
        if step == 0:
            mae = float((y - t).abs().mean())
        loss.backward()
        if step == 0:
            grads = [p.grad.reshape(-1).numpy().copy() for p in params]
        if step < STEPS:
            opt.step()
    print(f"static const golden_param {name}_params[] = {{")
    for g in grads:
        at = [k * (g.size - 1) // 3 for k in range(4)]
        print(f"  {{ {g.size}, {float(np.linalg.norm(g))!r},")
        print(f"    {{ {at[0]}, {at[1]}, {at[2]}, {at[3]} }},")
        print(f"    {{ {float(g[at[0]])!r}, {float(g[at[1]])!r},")
        print(f"      {float(g[at[2]])!r}, {float(g[at[3]])!r} }} }},")
    print("};")
    print(f"static const double {name}_loss[] = {{")
    for v in losses:
        print(f"  {v!r},")
    print("};")
    print(f"static const double {name}_mae = {mae!r};")
    print(f"static const double {name}_evaluation = {evaluate(net, x, t)!r};")
    print()


print("/* Written by make_cosmoflow.py with PyTorch "
      f"{torch.__version__}: do not edit. */")
print("#ifndef GOLDEN_COSMOFLOW_VALUES_H")
print("#define GOLDEN_COSMOFLOW_VALUES_H")
print()
print("#include <stdint.h>")
print()
print(f"enum {{ GOLDEN_SEED = {SEED}, GOLDEN_BATCH = {BATCH}, "
      f"GOLDEN_STEPS = {STEPS} }};")
print(f"static const double golden_lr = {LR}, golden_momentum = {MOMENTUM};")
print()
print("/* Of the first step: the gradient's norm and four of its numbers. */")
print("typedef struct golden_param {")
print("  int64_t size;")
print("  double norm;")
print("  int64_t at[4];")
print("  double value[4];")
print("} golden_param;")
print()
show("plain", False)
show("norm", True)
print("#endif /* GOLDEN_COSMOFLOW_VALUES_H */")
