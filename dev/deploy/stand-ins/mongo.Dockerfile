ARG NODE
FROM ${NODE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends libcurl4t64 libssl3t64 \
  && rm -rf /var/lib/apt/lists/* \
  && npm install --global mongosh@2.12.0 \
  && mkdir -p /data/db /data/configdb
COPY mongod /usr/local/bin/mongod
ENTRYPOINT ["mongod"]
