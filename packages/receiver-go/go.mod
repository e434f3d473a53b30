module github.com/agent-herald/receiver-go

go 1.22
