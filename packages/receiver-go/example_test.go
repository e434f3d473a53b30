package receiver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

func Example() {
	verifier, err := receiver.NewVerifier([]string{secret})
	if err != nil {
		panic(err)
	}
	hook := receiver.NewHandler(verifier, func(_ context.Context, d *receiver.Delivery) error {
		switch data := d.Data.(type) {
		case *receiver.AgentData:
			fmt.Println(d.Event, "of", data.AgentName)
		default:
			fmt.Println(d.Event, string(d.RawData))
		}
		return nil
	})
	mux := http.NewServeMux()
	mux.Handle("/webhooks", hook)

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, signedRequest("evt_1", bodyOf("evt_1", "")))
	fmt.Println(answer.Code)
	// Output:
	// agent.updated of Ada
	// 204
}
