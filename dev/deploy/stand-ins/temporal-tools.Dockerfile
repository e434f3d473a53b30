ARG DEBIAN
FROM ${DEBIAN}
RUN useradd --uid 1000 --user-group --create-home temporal
COPY temporal temporal-sql-tool /usr/local/bin/
COPY schema /etc/temporal/schema
USER temporal
