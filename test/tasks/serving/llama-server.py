"""Serves a GGUF file over HTTP with llama.cpp's own server, on the CPU, until it is told to end.

    llama-server.py --model FILE --name NAME --port PORT [--context 2048] [--slots 2] [--threads 1]

Needs the package xllamacpp, which holds llama.cpp.
"""

import argparse
import os
import signal
import sys

STOPS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def main():
    options = parse()
    # Before the server has threads, so that none of them takes a signal.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    server = start(options)
    print("listening at", server.listening_address, flush=True)
    signal.sigwait(STOPS)
    sys.stdout.flush()
    # Nothing is lost by not taking the model apart.
    os._exit(0)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--context", type=int, default=2048, help="tokens of one request, prompt and reply")
    parser.add_argument("--slots", type=int, default=2, help="requests at once")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def start(options):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.model_alias = {options.name}
    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.n_gpu_layers = 0
    params.n_parallel = options.slots
    params.n_ctx = options.context * options.slots
    params.kv_unified = False
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = options.threads
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
