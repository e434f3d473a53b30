ARG DEBIAN
FROM ${DEBIAN}
RUN apt-get update \
  && apt-get install -y --no-install-recommends postgresql \
  && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/* \
  && ln -s /usr/lib/postgresql/* /opt/postgresql
ENV PATH=/opt/postgresql/bin:$PATH
COPY --chmod=755 postgres.sh /usr/local/bin/start-postgres
ENTRYPOINT ["start-postgres"]
