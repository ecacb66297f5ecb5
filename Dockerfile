# The image of Parley. Build it from this checkout, or from the tarball of a release in release/VERSION/:
#   docker build --tag parley:0.1.0 .
#   docker build --tag parley:0.1.0 --build-arg RELEASE=downloaded .
# docs/containers.md says how to run it.
ARG RELEASE=built
ARG VERSION=0.1.0

FROM node:24-bookworm AS built
ARG VERSION
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm run -s release -- tarball
RUN mkdir /release && tar -xzf release/${VERSION}/parley-*.tar.gz -C /release

FROM scratch AS downloaded
ARG VERSION
ARG TARGETARCH
ADD release/${VERSION}/parley-${VERSION}-linux-${TARGETARCH}.tar.gz /release/

FROM ${RELEASE} AS release

# It has the C library for which Node is built, a shell for operators, and security updates.
FROM debian:bookworm-slim
ARG VERSION
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="A team-chat server that speaks the Zulip 10 REST API" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 parley \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin parley \
 && install -d -o 10001 -g 10001 -m 700 /data /backups
COPY --from=release /release/*/ /opt/parley/
ENV PATH=/opt/parley/bin:/usr/local/bin:/usr/bin:/bin \
    LISTEN_HOST=0.0.0.0 \
    PORT=9991 \
    DATA_DIR=/data
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 9991
STOPSIGNAL SIGTERM
# Migrations at the start may take minutes.
HEALTHCHECK --interval=30s --timeout=10s --start-period=5m CMD ["parley", "health"]
# The server becomes the first process, and so receives the signals.
ENTRYPOINT ["parley"]
CMD ["start"]
