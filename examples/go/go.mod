module example.com/hook

go 1.22

require github.com/agent-herald/agent-herald/packages/receiver-go v0.0.0

replace github.com/agent-herald/agent-herald/packages/receiver-go => ../../packages/receiver-go
