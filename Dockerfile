# The command `highway` with the extras of `all` but ray: docker run --rm -v "$PWD:/work" highwaygraph train cora --out runs/demo
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends nodejs npm && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.12-slim
COPY --from=build /wheels /wheels
COPY constraints.txt /wheels/constraints.txt
# pip reads it: the index of PyTorch's wheels without CUDA, which are gigabytes smaller.
ARG PIP_EXTRA_INDEX_URL=""
RUN python -m pip install --no-cache-dir -c /wheels/constraints.txt \
      "$(ls /wheels/*.whl)[report,tables,sql,tune,serve,label]" \
  && useradd --create-home highway
USER highway
WORKDIR /work
ENTRYPOINT ["highway"]
CMD ["--help"]
