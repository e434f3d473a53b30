package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	receiver "github.com/agent-herald/receiver-go"
)

func main() {
	verifier, err := receiver.NewVerifier([]string{os.Getenv("WEBHOOK_SECRET")})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/hook", receiver.NewHandler(verifier, handle))
	log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}

func handle(_ context.Context, delivery *receiver.Delivery) error {
	if agent, ok := delivery.Data.(*receiver.AgentData); ok {
		fmt.Printf("verified %s: %s\n", delivery.Event, agent.AgentName)
	}
	return nil
}
