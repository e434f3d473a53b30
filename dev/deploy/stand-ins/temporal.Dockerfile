ARG DEBIAN
FROM ${DEBIAN}
RUN apt-get update \
  && apt-get install -y --no-install-recommends netcat-openbsd \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --user-group --create-home temporal
COPY temporal-server /usr/local/bin/
COPY --chmod=755 entrypoint.sh /etc/temporal/entrypoint.sh
WORKDIR /etc/temporal
USER temporal
# Debian's sh has no pipefail.
CMD ["bash", "/etc/temporal/entrypoint.sh"]
