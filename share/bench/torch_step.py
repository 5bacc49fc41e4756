#! /usr/bin/env python3
"""torch_step.py: time a training step of CosmoFlow (arXiv 2007.12856) in PyTorch.

usage: torch_step.py [--size 64] [--batch 1] [--steps 10] [--threads 2]
                     [--channels-last] [--bn]

The same network as share/models/cosmoflow-SIZE.net, random input, forward,
loss, backward and SGD with momentum; prints the median, least and most of the
steps' seconds.  To be run beside h3d-bench step on the same idle machine.
"""
import argparse
import statistics
import time

import torch
from torch import nn


def network(size, norm):
    pools = size.bit_length() - 3  # 64 voxels: four pools, 128: five
    layers, cin = [], 4
    for i, cout in enumerate([16, 32, 64, 128, 256, 256, 256]):
        layers.append(nn.Conv3d(cin, cout, 3, stride=2 if i == 3 else 1,
                                padding=1, bias=False))
        if norm:
            layers.append(nn.BatchNorm3d(cout))
        layers.append(nn.LeakyReLU(0.01, inplace=True))
        if i < pools:
            layers.append(nn.AvgPool3d(3, 2, 1))
        cin = cout
    layers += [nn.Flatten(), nn.Dropout(0.2), nn.Linear(2048, 2048),
               nn.LeakyReLU(0.01), nn.Dropout(0.2), nn.Linear(2048, 256),
               nn.LeakyReLU(0.01), nn.Dropout(0.2), nn.Linear(256, 4)]
    return nn.Sequential(*layers)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--size", type=int, default=64)
    p.add_argument("--batch", type=int, default=1)
    p.add_argument("--steps", type=int, default=10)
    p.add_argument("--warmup", type=int, default=2)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--channels-last", action="store_true")
    p.add_argument("--bn", action="store_true")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    net = network(a.size, a.bn)
    x = torch.rand(a.batch, 4, a.size, a.size, a.size)
    if a.channels_last:
        net = net.to(memory_format=torch.channels_last_3d)
        x = x.contiguous(memory_format=torch.channels_last_3d)
    y = torch.rand(a.batch, 4)
    opt = torch.optim.SGD(net.parameters(), 1e-6, momentum=0.9)
    seconds = []
    for i in range(-a.warmup, a.steps):
        start = time.perf_counter()
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        if i >= 0:
            seconds.append(time.perf_counter() - start)
    print("torch %s, %d voxels, batch %d, %d threads%s: median %.4f s, least "
          "%.4f, most %.4f" % (torch.__version__, a.size, a.batch, a.threads,
                               ", channels last" if a.channels_last else "",
                               statistics.median(seconds), min(seconds),
                               max(seconds)))


if __name__ == "__main__":
    main()
