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

// keepStrength is how much of the first picture of a batch may change in the others,
// where the workflow takes no reference image.
const keepStrength = 0.7

// look is what a picture takes over from others: read with the capture, before
// anything is sent.
type look struct {
	seed   int64 // for a capture without one
	avatar []byte
	start  *storage.Capture // the picture that it begins with
	keep   *storage.Capture // the first one of its batch, whose place and people it keeps
	lost   string           // what it should have taken over and cannot, in words
}

// lookOf reads what a capture takes over.
func (svc *Service) lookOf(tx *storage.Tx, chat storage.Chat, who storage.Character, c storage.Capture) look {
	l := look{seed: comfy.RandomSeed()}
	l.avatar, _ = tx.Avatar(who.ID)
	if c.Start != nil {
		from, err := storage.Captures.Get(tx, c.Start.Capture)
		if err == nil && from.ImagePath != "" {
			l.start = &from
		} else {
			l.lost = "the start picture is missing"
		}
	}
	batch, err := storage.Batches.Get(tx, chat.ID, c.Batch)
	if c.Batch == "" || err != nil {
		batch = storage.Batch{}
	}
	if c.From == "" { // a variant is there to be different
		l.seed = seedOf(who, batch, c, l.seed)
	}
	if !batch.Keep || len(batch.Captures) == 0 || batch.Captures[0] == c.ID || c.Start != nil {
		return l
	}
	first, err := storage.Captures.Get(tx, batch.Captures[0])
	if err == nil && first.ImagePath != "" && first.Kind == string(capture.Image) {
		l.keep = &first
	} else {
		l.lost = "the first picture of the batch is not finished yet, so it was not used"
	}
	return l
}

// seedOf is the seed of a capture by the character's policy and the batch's.
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

// seedFrom makes a seed of a name: the same one of the same name, and never 0.
func seedFrom(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return 1 + int64(binary.BigEndian.Uint32(sum[:]))%(1<<32-2)
}

// chooseFlow chooses the workflow, and the servers that have all that it needs:
// before anything is unloaded for it. Where none is named, the first one of the kind
// is taken that a server can paint with.
func (p *painting) chooseFlow(ctx context.Context) ([]*comfy.Client, error) {
	name := p.workflowName()
	p.asked = name
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

// tryFlow takes a workflow, if a server can paint with it.
func (p *painting) tryFlow(ctx context.Context, flow comfy.Workflow) (servers []*comfy.Client, err error) {
	if p.begins(flow) {
		if flow, err = flow.WithSource(); err != nil {
			return nil, err
		}
	}
	for _, want := range []string{comfy.ReferenceName(1), comfy.CharAvatar} {
		if flow.Wants(want) && len(p.who.References) == 0 && len(p.look.avatar) == 0 && p.look.keep == nil {
			return nil, failure.Refuse("the workflow %q needs a picture of the character, who has neither a reference image nor an avatar", flow.Name)
		}
	}
	var brought []string
	if p.who.Lora != "" {
		brought = append(brought, "lora")
	}
	if len(p.who.References) > 0 || p.look.keep != nil {
		for n := 1; n <= MostReferences; n++ {
			brought = append(brought, comfy.ReferenceName(n))
		}
	}
	if p.resume {
		p.flow = flow
		return p.svc.models.Comfy, nil
	}
	if servers, p.lacking, err = p.svc.able(ctx, flow, brought); err == nil {
		p.flow = flow
	}
	return servers, err
}

// begins reports whether a picture begins with another one: the one that the user
// chose, or the first of the batch where the workflow takes no reference image.
func (p *painting) begins(flow comfy.Workflow) bool {
	return p.look.start != nil || p.look.keep != nil && !slices.Contains(flow.Inspect().Pictures, comfy.ReferenceName(1))
}

// able are the servers that have all that a workflow needs, as far as they say; lacking
// names what each of the others lacks, "" where they have it all. The error does the same
// when none has it.
func (svc *Service) able(ctx context.Context, flow comfy.Workflow, brought []string) (list []*comfy.Client, lacking string, err error) {
	all := svc.models.Comfy
	lacks := make([]string, len(all))
	var wait sync.WaitGroup
	for i, server := range all {
		wait.Add(1)
		crash.Go("check a server", func() {
			defer wait.Done()
			list, err := server.Lacks(ctx, flow, brought...)
			if err != nil { // it shows when it is asked to paint
				svc.core.Log.Debug("a server does not say what it has", "server", server.BaseURL(), "err", err)
				return
			}
			lacks[i] = comfy.LackList(list)
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
	return nil, lacking, &comfy.LackError{Workflow: flow.Name, Words: lacking}
}

// bring uploads the pictures that the workflow takes, and says what else of the
// character's look goes in.
func (p *painting) bring(ctx context.Context, v *comfy.Values) error {
	plan := p.flow.Inspect()
	v.Lora, v.LoraWeight = p.who.Lora, p.who.LoraWeight
	var warn []string
	if p.look.lost != "" {
		warn = append(warn, p.look.lost)
	}
	if v.Lora != "" && !plan.HasLora {
		warn = append(warn, fmt.Sprintf("the workflow %s has no place for the character's LoRA", p.flow.Name))
	}
	wanted, err := p.pictures()
	if err != nil {
		return err
	}
	v.Pictures = map[string]comfy.Picture{}
	for _, name := range plan.Pictures {
		data := wanted[name]
		if data == nil {
			continue
		}
		if data, err = asPNG(data); err != nil {
			return failure.Refuse("the %s cannot be read: %s", comfy.PictureWords(name), failure.Words(err))
		}
		at, err := p.server.Upload(ctx, data)
		if err != nil {
			return err
		}
		v.Pictures[name] = comfy.Picture{Name: at, Data: data}
	}
	// Models write a negative prompt with every prompt: that it goes nowhere is said before
	// it is sent, and not with every picture.
	warn = append(warn, plan.Unused("", p.C.Width, p.C.Height)...)
	if len(p.who.References) > 0 && !slices.Contains(plan.Pictures, comfy.ReferenceName(1)) {
		warn = append(warn, fmt.Sprintf("the workflow %s has no place for the character's reference image", p.flow.Name))
	}
	switch {
	case p.look.start != nil && p.C.Start != nil:
		v.Denoise = p.C.Start.Strength
	case p.begins(p.flow):
		v.Denoise = keepStrength
	}
	for _, w := range warn {
		if !slices.Contains(p.C.Warnings, w) {
			p.C.Warnings = append(p.C.Warnings, w)
		}
	}
	return nil
}

// pictures are the files that could go in, by the names of comfy.Values.
func (p *painting) pictures() (map[string][]byte, error) {
	out := map[string][]byte{}
	n := 0
	add := func(data []byte) {
		if n++; n <= MostReferences {
			out[comfy.ReferenceName(n)] = data
		}
	}
	for _, ref := range p.who.References {
		data, err := p.svc.Faces.read(ref, p.look.avatar)
		if err != nil {
			return nil, err
		}
		add(data)
	}
	if p.look.keep != nil {
		data, err := p.svc.Gallery.Picture(*p.look.keep, false)
		if err != nil {
			return nil, err
		}
		add(data)
		out[comfy.SourcePicture] = data
	}
	if n == 0 && p.flow.Wants(comfy.ReferenceName(1)) && len(p.look.avatar) > 0 {
		add(p.look.avatar)
	}
	if len(p.look.avatar) > 0 {
		out[comfy.CharAvatar] = p.look.avatar
	}
	if p.look.start != nil {
		data, err := p.svc.Gallery.Picture(*p.look.start, false)
		if err != nil {
			return nil, err
		}
		out[comfy.SourcePicture] = data
	}
	return out, nil
}

// Bounds of BeginFrom.
const (
	// UsualStrength is how much of a picture changes where nobody says.
	UsualStrength = 0.55
)

// BeginFrom makes a draft that begins with a capture's picture and changes as much of
// it as strength says, from 0 to 1; 0 takes the usual. Its prompt is the same one, for
// the user to change.
func (svc *Service) BeginFrom(id storage.CaptureID, strength float64) (storage.Capture, error) {
	if strength == 0 {
		strength = UsualStrength
	}
	var v storage.Capture
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, id)
		switch {
		case err != nil:
			return err
		case c.ImagePath == "":
			return failure.Refuse("this capture has no picture yet")
		case c.Kind != string(capture.Image):
			return failure.Refuse("only a picture can be begun from, not a video")
		case !(strength > 0 && strength <= 1):
			return failure.Refuse("the strength is from 0 to 1: how much of the picture may change")
		}
		v = svc.variantOf(c)
		v.Seed, v.UpdatedAt = nil, v.CreatedAt
		v.Start = &storage.StartImage{Capture: c.ID, Strength: strength}
		return storage.Captures.Put(tx, v.ID, v)
	})
	if err != nil {
		return v, failure.Fail("again from a picture", err)
	}
	svc.tellCapture(v)
	return v, nil
}
