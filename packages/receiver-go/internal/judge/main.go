// Command judge prints the result of this package for each case, as JSON keyed by the name of the case.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/agent-herald/agent-herald/packages/receiver-go/internal/cases"
)

func main() {
	file, err := cases.Read()
	if err != nil {
		log.Fatal(err)
	}
	verdicts := map[string]any{}
	for _, one := range file.Deliveries {
		verdict, err := cases.Judge(one)
		if err != nil {
			log.Fatalf("%s: %v", one.Name, err)
		}
		verdicts[one.Name] = verdict
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdicts); err != nil {
		log.Fatal(err)
	}
}
