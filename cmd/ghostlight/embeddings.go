package main

import (
	"context"
	"strings"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/ollama"
)

// checkEmbeddings looks whether the model is there that finds memories by their
// meaning. Where it is not, nothing else says so: memories are found without it.
func (d *door) checkEmbeddings(ctx context.Context, e *engine.Engine) house.Check {
	model, server := d.set.Remember.EmbedModel, d.set.Remember.EmbedServer
	check := house.Check{Name: "embeddings"}
	list := e.House.Models
	if server != "" && !d.rehearse {
		client, err := ollama.New(server)
		if err != nil {
			check.Detail = failure.Words(err)
			return check
		}
		defer client.Close()
		list = client.Models
	}
	models, err := list(ctx)
	if err != nil {
		check.Detail = failure.Words(err)
		return check
	}
	check.Detail = model + " is not on the server: ghostlight model pull fetches it, or remember.embed_model names another"
	for _, have := range models {
		if have.Name == model || strings.TrimSuffix(have.Name, ":latest") == model {
			check.OK, check.Detail = true, have.Name
		}
	}
	return check
}
