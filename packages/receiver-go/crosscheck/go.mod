module github.com/agent-herald/agent-herald/packages/receiver-go/crosscheck

go 1.22

require (
	github.com/agent-herald/agent-herald/packages/receiver-go v0.0.0
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
)

replace github.com/agent-herald/agent-herald/packages/receiver-go => ../
