module github.com/agent-herald/agent-herald/packages/receiver-go

go 1.22
