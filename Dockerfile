# swemake with what its sandbox needs: git, Python, and user namespaces of the host's kernel.
#
#     docker build -t swemake .
#     docker run --rm -v "$PWD:/work" swemake build project.yaml                 # type: auto takes what is allowed
#     docker run --rm --privileged -v "$PWD:/work" swemake build project.yaml    # sandboxes with overlayfs
#
# BASE may be any image of Debian with apt that has Node 20 or later, or whose index has. dist is made by npm run build.
ARG BASE=node:20-bookworm-slim
FROM ${BASE}
RUN apt-get update \
 && apt-get install -y --no-install-recommends git ca-certificates patch zstd python3 python3-venv python3-pip \
 && (command -v node > /dev/null || apt-get install -y --no-install-recommends nodejs npm) \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json /opt/swemake/
WORKDIR /opt/swemake
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY bin bin
COPY dist dist
COPY schemas schemas
COPY executors executors
COPY stages stages
COPY grading grading
COPY tasks tasks
COPY projects projects
COPY docs docs
RUN ln -s /opt/swemake/bin/swemake.js /usr/local/bin/swemake
WORKDIR /work
ENTRYPOINT ["swemake"]
CMD ["--help"]
