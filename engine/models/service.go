// Package models manages the servers and their models, profiles and samplers, and the requests of
// each kind of work to a model.
package models

import (
	"context"
	"slices"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service sends requests to the servers. It is safe for concurrent use. Hooks are registered while
// the engine is wired.
type Service struct {
	core *core.Core

	Ollama *ollama.Client  // the chats' own server
	Comfy  []*comfy.Client // at least one

	// PromptSent is called with each prompt that the chats' server has read for background work.
	PromptSent event.CommitHooks[BackgroundPrompt]
	// Unloaded is called with the names of the models of that server that the user has unloaded.
	Unloaded event.CommitHooks[[]string]

	mu      sync.Mutex
	models  map[string]*KnownModel // by name, those of other servers by address and name
	clients map[string]*ollama.Client
	servers Servers
	// samplings holds the sampling of the models, by name.
	samplings map[string]storage.Profile
	pull      context.CancelFunc
	polling   bool
	started   bool
}

// options returns the options of a language model client: the time that a model stays loaded, the
// time after which a request is given up, and the headers of a server. ours means that it is the
// chats' own server.
func (svc *Service) options(address string, ours bool) []ollama.Option {
	list := []ollama.Option{ollama.WithGiveUp(svc.core.Config.GiveUp),
		ollama.WithHeaders(config.HeadersFor(svc.core.Config.OllamaHeaders, address, ours))}
	if d := svc.core.Config.KeepAlive; d != nil {
		list = append(list, ollama.WithKeepAlive(*d))
	}
	return list
}

// New makes the service and its clients without any request. The addresses of the core's config
// must not be empty.
func New(c *core.Core) (*Service, error) {
	svc := &Service{core: c, models: map[string]*KnownModel{}, clients: map[string]*ollama.Client{}}
	var err error
	if svc.Ollama, err = ollama.New(c.Config.Ollama, svc.options(c.Config.Ollama, true)...); err != nil {
		return nil, failure.Wrap("ollama address", err)
	}
	for _, u := range c.Config.Comfy {
		headers := config.HeadersFor(c.Config.ComfyHeaders, u, true)
		client, err := comfy.New(u, comfy.WithHeaders(headers), comfy.WithKey(c.Config.ComfyKey))
		if err != nil {
			return nil, failure.Wrap("comfyui address", err)
		}
		if slices.ContainsFunc(svc.Comfy, func(o *comfy.Client) bool { return o.BaseURL() == client.BaseURL() }) {
			continue // named twice it paints no faster
		}
		svc.Comfy = append(svc.Comfy, client)
	}
	svc.servers.Ollama.URL, svc.servers.Comfy.URL = svc.Ollama.BaseURL(), svc.Comfy[0].BaseURL()
	return svc, nil
}

// Start makes the service poll an absent server from now on.
func (svc *Service) Start() {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.started = true
}

// Close closes the connections to the servers. It is called after the last request.
func (svc *Service) Close() {
	for _, c := range svc.LanguageServers() {
		c.Close()
	}
	for _, c := range svc.Comfy {
		c.Close()
	}
}
