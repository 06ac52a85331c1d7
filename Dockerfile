FROM node:24-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY workflows workflows
COPY migrations migrations
COPY activities activities
RUN npm run build

# glibc, because Temporal's core is built for it; certificates, because it speaks TLS by itself.
FROM node:24-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force
COPY --from=build /service/dist dist
ENV NODE_ENV=production HOST=0.0.0.0 NODE_OPTIONS=--max-old-space-size=768
# The edge's agent keeps its journal there; a volume takes its owner from here.
RUN mkdir -p /data/agent && chown node /data/agent
USER node
CMD ["node", "dist/src/main/api.js"]
