package pictures

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// keepStrength is the part of the first picture of a batch that may change in the others, if the
// workflow takes no reference image.
const keepStrength = 0.7

// reusedParts holds the parts that a picture takes from other pictures. It is read with the
// capture, before anything is sent.
type reusedParts struct {
	seed         int64 // for a capture without one
	avatar       []byte
	startPicture *storage.Capture // the picture that it starts with
	firstOfBatch *storage.Capture // the first one of its batch, whose place and people it keeps
	missing      string           // what it should have taken and cannot, as text
}

// reusedFor returns what a capture takes from other pictures.
func (svc *Service) reusedFor(tx *storage.Tx, chat storage.Chat, who storage.Character, c storage.Capture) reusedParts {
	l := reusedParts{seed: comfy.RandomSeed()}
	l.avatar, _ = tx.Avatar(who.ID)
	if c.Start != nil {
		from, err := storage.Captures.Get(tx, c.Start.Capture)
		if err == nil && from.ImagePath != "" {
			l.startPicture = &from
		} else {
			l.missing = "the start picture is missing"
		}
	}
	batch, err := storage.Batches.Get(tx, chat.ID, c.Batch)
	if c.Batch == "" || err != nil {
		batch = storage.Batch{}
	}
	if c.From == "" { // a variant should be different
		l.seed = seedOf(who, batch, c, l.seed)
	}
	if !batch.Keep || len(batch.Captures) == 0 || batch.Captures[0] == c.ID || c.Start != nil {
		return l
	}
	first, err := storage.Captures.Get(tx, batch.Captures[0])
	if err == nil && first.ImagePath != "" && first.Kind == string(capture.Image) {
		l.firstOfBatch = &first
	} else {
		l.missing = "the first picture of the batch is not finished yet, so it was not used"
	}
	return l
}

// seedOf returns the seed of a capture by the policies of the character and the batch.
func seedOf(who storage.Character, batch storage.Batch, c storage.Capture, usual int64) int64 {
	together := string(c.Board)
	if together == "" {
		together = string(c.Batch)
	}
	switch {
	case who.Imagery.Seeds == storage.SeedFixed && who.Imagery.Seed > 0:
		return who.Imagery.Seed
	case who.Imagery.Seeds == storage.SeedFixed:
		return seedFrom(string(who.ID))
	case together != "" && (batch.OneSeed || who.Imagery.Seeds == storage.SeedBatch):
		return seedFrom(together)
	}
	return usual
}

// seedFrom derives a seed from a name; it is never 0.
func seedFrom(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return 1 + int64(binary.BigEndian.Uint32(sum[:]))%(1<<32-2)
}

// chooseFlow chooses the workflow and the servers that have all it needs, before any model is
// unloaded. Without a name it is the first one of the kind that a server can paint with.
func (p *painting) chooseFlow(ctx context.Context) ([]*comfy.Client, error) {
	name := p.workflowName()
	p.requestedWorkflow = name
	flow, err := p.svc.Workflows.find(name, p.C.Kind)
	if err != nil {
		return nil, err
	}
	servers, err := p.tryFlow(ctx, flow)
	if err == nil || name != "" || errors.Is(err, comfy.ErrUnreachable) || ctx.Err() != nil {
		return servers, err
	}
	all, _ := p.svc.Workflows.List()
	for _, other := range all {
		if string(other.Inspect().Kind) != p.C.Kind || other.Check() != nil || other.Name == flow.Name {
			continue
		}
		if servers, err := p.tryFlow(ctx, other); err == nil {
			return servers, nil
		}
	}
	return nil, err
}

// tryFlow sets a workflow if a server can paint with it.
func (p *painting) tryFlow(ctx context.Context, flow comfy.Workflow) (servers []*comfy.Client, err error) {
	if p.startsWithPicture(flow) {
		if flow, err = flow.WithSource(); err != nil {
			return nil, err
		}
	}
	for _, want := range []string{comfy.ReferenceName(1), comfy.CharAvatar} {
		if flow.Wants(want) && len(p.who.References) == 0 && len(p.reused.avatar) == 0 && p.reused.firstOfBatch == nil {
			return nil, failure.Refusef("the workflow %q needs a picture of the character, who has neither a "+
				"reference image nor an avatar", flow.Name)
		}
	}
	var brought []string
	if p.who.Lora != "" {
		brought = append(brought, "lora")
	}
	if len(p.who.References) > 0 || p.reused.firstOfBatch != nil {
		for n := 1; n <= MaxReferences; n++ {
			brought = append(brought, comfy.ReferenceName(n))
		}
	}
	if p.resume {
		p.flow = flow
		return p.svc.models.Comfy, nil
	}
	if servers, p.lacking, err = p.svc.capableServers(ctx, flow, brought); err == nil {
		p.flow = flow
	}
	return servers, err
}

// startsWithPicture reports whether a picture starts with another one: the one that the user
// chose, or the first of the batch if the workflow takes no reference image.
func (p *painting) startsWithPicture(flow comfy.Workflow) bool {
	return p.reused.startPicture != nil || p.reused.firstOfBatch != nil && !slices.Contains(flow.Inspect().Pictures,
		comfy.ReferenceName(1))
}

// capableServers returns the servers that have all that a workflow needs, as far as they report
// it. lacking names what the others lack, "" for nothing; the error does that if there is no such
// server.
func (svc *Service) capableServers(ctx context.Context, flow comfy.Workflow,
	brought []string) (list []*comfy.Client, lacking string, err error) {
	all := svc.models.Comfy
	lacks := make([]string, len(all))
	var wait sync.WaitGroup
	for i, server := range all {
		wait.Add(1)
		crash.Go("check a server", func() {
			defer wait.Done()
			list, err := server.Missing(ctx, flow, brought...)
			if err != nil { // it fails when it is asked to paint
				svc.core.Log.Debug("a server does not say what it has", "server", server.BaseURL(), "err", err)
				return
			}
			lacks[i] = comfy.MissingList(list)
		})
	}
	wait.Wait()
	var out []*comfy.Client
	var words []string
	for i, server := range all {
		if lacks[i] == "" {
			out = append(out, server)
			continue
		}
		words = append(words, fmt.Sprintf("%s lacks %s", server.BaseURL(), lacks[i]))
	}
	lacking = strings.Join(words, "; ")
	if len(out) > 0 || ctx.Err() != nil {
		return out, lacking, ctx.Err()
	}
	return nil, lacking, &comfy.MissingError{Workflow: flow.Name, Message: lacking}
}

// uploadInputs uploads the pictures that the workflow takes, and sets the character's other
// values.
func (p *painting) uploadInputs(ctx context.Context, v *comfy.Values) error {
	plan := p.flow.Inspect()
	v.Lora, v.LoraWeight = p.who.Lora, p.who.LoraWeight
	var warn []string
	if p.reused.missing != "" {
		warn = append(warn, p.reused.missing)
	}
	if v.Lora != "" && !plan.HasLora {
		warn = append(warn, fmt.Sprintf("the workflow %s has no input for the character's LoRA", p.flow.Name))
	}
	wanted, err := p.inputFiles()
	if err != nil {
		return err
	}
	v.Pictures = map[string]comfy.Picture{}
	for _, name := range plan.Pictures {
		data := wanted[name]
		if data == nil {
			continue
		}
		if data, err = reencodePNG(data); err != nil {
			return failure.Refusef("the %s cannot be read: %s", comfy.PictureWords(name), failure.Text(err))
		}
		at, err := p.server.Upload(ctx, data)
		if err != nil {
			return err
		}
		v.Pictures[name] = comfy.Picture{Name: at, Data: data}
	}
	// Every prompt has a negative prompt, so that an unused one is reported before it is sent and
	// not with each picture.
	warn = append(warn, plan.Unused("", p.C.Width, p.C.Height)...)
	if len(p.who.References) > 0 && !slices.Contains(plan.Pictures, comfy.ReferenceName(1)) {
		warn = append(warn, fmt.Sprintf("the workflow %s has no input for the character's reference image",
			p.flow.Name))
	}
	switch {
	case p.reused.startPicture != nil && p.C.Start != nil:
		v.Denoise = p.C.Start.Strength
	case p.startsWithPicture(p.flow):
		v.Denoise = keepStrength
	}
	for _, w := range warn {
		if !slices.Contains(p.C.Warnings, w) {
			p.C.Warnings = append(p.C.Warnings, w)
		}
	}
	return nil
}

// inputFiles returns the files that can be used, by the names of comfy.Values.
func (p *painting) inputFiles() (map[string][]byte, error) {
	out := map[string][]byte{}
	n := 0
	add := func(data []byte) {
		if n++; n <= MaxReferences {
			out[comfy.ReferenceName(n)] = data
		}
	}
	for _, ref := range p.who.References {
		data, err := p.svc.References.read(ref, p.reused.avatar)
		if err != nil {
			return nil, err
		}
		add(data)
	}
	if p.reused.firstOfBatch != nil {
		data, err := p.svc.Gallery.Picture(*p.reused.firstOfBatch, false)
		if err != nil {
			return nil, err
		}
		add(data)
		out[comfy.SourcePicture] = data
	}
	if n == 0 && p.flow.Wants(comfy.ReferenceName(1)) && len(p.reused.avatar) > 0 {
		add(p.reused.avatar)
	}
	if len(p.reused.avatar) > 0 {
		out[comfy.CharAvatar] = p.reused.avatar
	}
	if p.reused.startPicture != nil {
		data, err := p.svc.Gallery.Picture(*p.reused.startPicture, false)
		if err != nil {
			return nil, err
		}
		out[comfy.SourcePicture] = data
	}
	return out, nil
}

// Limits of StartFrom.
const (
	// DefaultStrength is the part of a picture that changes if nothing is set.
	DefaultStrength = 0.55
)

// StartFrom makes a draft that starts with a capture's picture and changes it by strength, from 0
// to 1; 0 is the default. It has the same prompt, for the user to edit.
func (svc *Service) StartFrom(id storage.CaptureID, strength float64) (storage.Capture, error) {
	if strength == 0 {
		strength = DefaultStrength
	}
	var v storage.Capture
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, id)
		switch {
		case err != nil:
			return err
		case c.ImagePath == "":
			return failure.Refusef("this capture has no picture yet")
		case c.Kind != string(capture.Image):
			return failure.Refusef("only a picture can be a start picture, not a video")
		case !(strength > 0 && strength <= 1):
			return failure.Refusef("the strength must be from 0 to 1: how much of the picture may change")
		}
		v = svc.variantOf(c)
		v.Seed, v.UpdatedAt = nil, v.CreatedAt
		v.Start = &storage.StartImage{Capture: c.ID, Strength: strength}
		return storage.Captures.Put(tx, v.ID, v)
	})
	if err != nil {
		return v, failure.Wrap("again from a picture", err)
	}
	svc.emitCapture(v)
	return v, nil
}
