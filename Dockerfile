# Bakeoff as it is locked: docker build -t bakeoff . && docker run --rm -v "$PWD:/repo" bakeoff doctor
FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && pip install --no-cache-dir uv
WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE ./
COPY src src
RUN uv sync --locked --no-dev --no-editable \
    && git config --system --add safe.directory '*'
ENV PATH="/app/.venv/bin:$PATH"
WORKDIR /repo
ENTRYPOINT ["bakeoff"]
CMD ["--help"]
