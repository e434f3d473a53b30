ARG DEBIAN
FROM ${DEBIAN}
RUN useradd --uid 1000 --user-group --create-home temporal
WORKDIR /home/ui-server
COPY ui-server ./
COPY config ./config
COPY --chmod=755 start-ui-server.sh ./
USER temporal
EXPOSE 8080
ENTRYPOINT ["./start-ui-server.sh"]
