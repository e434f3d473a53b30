package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

func main() {
	verifier, err := receiver.NewVerifier([]string{os.Getenv("WEBHOOK_SECRET")})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/go", receiver.NewHandler(verifier, handle))
	port := cmp.Or(os.Getenv("PORT"), "4000")
	log.Print("starting on port ", port)
	log.Fatal(http.ListenAndServe("localhost:"+port, nil))
}

func handle(_ context.Context, delivery *receiver.Delivery) error {
	if agent, ok := delivery.Data.(*receiver.AgentData); ok {
		fmt.Printf("verified %s: %s\n", delivery.Event, agent.AgentName)
	}
	return nil
}
