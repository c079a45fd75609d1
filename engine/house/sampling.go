package house

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// settingSampling is the setting that keeps how models are asked, by their names.
const settingSampling = "sampling"

// SamplingNames are what can be said of how a chat or a model is asked, as the config
// file calls it.
func SamplingNames() []string {
	return []string{"temperature", "top_p", "top_k", "min_p", "typical_p", "repeat_penalty", "repeat_last_n", "presence_penalty", "frequency_penalty", "num_ctx", "num_predict", "seed", "stop", "think"}
}

// LoadSampling reads how models are asked. It comes before the service is used.
func (svc *Service) LoadSampling() error {
	return svc.core.Store.View(svc.readSampling)
}

func (svc *Service) readSampling(tx *storage.Tx) error {
	found := map[string]storage.Profile{}
	_, err := tx.Setting(settingSampling, &found)
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.samplings = found
	return err
}

// ModelSampling is what is said of how a model is asked; what is not said is empty.
func (svc *Service) ModelSampling(model string) storage.Profile {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	return svc.samplings[model]
}

// SetModelSampling says something of how a model is asked, whichever chat asks it; ""
// takes it back.
func (svc *Service) SetModelSampling(model, name, text string) error {
	if model == "" {
		return failure.Refuse("no model is chosen")
	}
	p := svc.ModelSampling(model)
	if err := SetSampling(&p, name, text); err != nil {
		return err
	}
	return svc.PutModelSampling(model, p)
}

// said reports whether anything is said of how to ask.
func said(p storage.Profile) bool {
	return slices.ContainsFunc(SamplingNames(), func(name string) bool { return SamplingText(p, name) != "" })
}

// SamplingOf is how a chat asks a model: as the chat says, else as is said for the
// model, else as the settings say, and the defaults fill in the rest.
func (svc *Service) SamplingOf(c storage.Chat, model string) storage.Profile {
	s := over(over(c.Sampling, svc.ModelSampling(model)), svc.core.Settings().Sampling)
	if s.NumCtx <= 0 {
		s.NumCtx = config.DefaultContext
	}
	if s.NumPredict <= 0 {
		s.NumPredict = config.DefaultReply
	}
	if s.Temperature == nil {
		t := config.DefaultTemperature
		s.Temperature = &t
	}
	return s
}

// over is what p says, and what it does not say as below says it.
func over(p, below storage.Profile) storage.Profile {
	below.NumCtx, below.NumPredict = cmp.Or(p.NumCtx, below.NumCtx), cmp.Or(p.NumPredict, below.NumPredict)
	below.Temperature, below.TopP, below.MinP = cmp.Or(p.Temperature, below.Temperature), cmp.Or(p.TopP, below.TopP), cmp.Or(p.MinP, below.MinP)
	below.RepeatPen, below.TopK, below.Seed = cmp.Or(p.RepeatPen, below.RepeatPen), cmp.Or(p.TopK, below.TopK), cmp.Or(p.Seed, below.Seed)
	below.TypicalP, below.RepeatLastN = cmp.Or(p.TypicalP, below.TypicalP), cmp.Or(p.RepeatLastN, below.RepeatLastN)
	below.PresencePen, below.FrequencyPen = cmp.Or(p.PresencePen, below.PresencePen), cmp.Or(p.FrequencyPen, below.FrequencyPen)
	below.Think = cmp.Or(p.Think, below.Think)
	if p.Stop != nil {
		below.Stop = p.Stop
	}
	return below
}

// CheckSampling refuses what no server could use, said of a model or, with an id, of a
// chat that asks it.
func (svc *Service) CheckSampling(c storage.Chat, model string, p storage.Profile) error {
	if err := checkValues(p); err != nil {
		return err
	}
	if c.ID == "" {
		p = over(p, svc.core.Settings().Sampling)
	} else {
		p = over(over(p, svc.ModelSampling(model)), svc.core.Settings().Sampling)
	}
	n, reply := cmp.Or(p.NumCtx, config.DefaultContext), cmp.Or(p.NumPredict, config.DefaultReply)
	if reply >= n {
		return failure.Refuse("num_predict (%d) must be smaller than num_ctx (%d), or there is no room for the prompt", reply, n)
	}
	return nil
}

// SamplingText is what is said of one of SamplingNames, "" for nothing.
func SamplingText(p storage.Profile, name string) string {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	whole := func(v *int) string {
		if v == nil {
			return ""
		}
		return strconv.Itoa(*v)
	}
	switch name {
	case "temperature":
		return number(p.Temperature)
	case "top_p":
		return number(p.TopP)
	case "top_k":
		return whole(p.TopK)
	case "min_p":
		return number(p.MinP)
	case "repeat_penalty":
		return number(p.RepeatPen)
	case "typical_p":
		return number(p.TypicalP)
	case "repeat_last_n":
		return whole(p.RepeatLastN)
	case "presence_penalty":
		return number(p.PresencePen)
	case "frequency_penalty":
		return number(p.FrequencyPen)
	case "num_ctx":
		return strings.TrimPrefix(strconv.Itoa(p.NumCtx), "0")
	case "num_predict":
		return strings.TrimPrefix(strconv.Itoa(p.NumPredict), "0")
	case "seed":
		return whole(p.Seed)
	case "stop":
		return strings.Join(p.Stop, ", ")
	case "think":
		if p.Think != "" {
			return fmt.Sprint(p.Think.Value())
		}
	}
	return ""
}

// SetSampling says one of SamplingNames; "" takes it back.
func SetSampling(p *storage.Profile, name, text string) error {
	text = strings.TrimSpace(text)
	number := func(to **float64) error {
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
		if err != nil {
			return failure.Refuse("%s must be a number such as 0.8, not %q", name, text)
		}
		*to = &v
		return nil
	}
	whole := func(to **int) error {
		n, err := strconv.Atoi(text)
		if err != nil {
			return failure.Refuse("%s must be a whole number, not %q", name, text)
		}
		*to = &n
		return nil
	}
	unset := text == ""
	floats := map[string]**float64{"temperature": &p.Temperature, "top_p": &p.TopP, "min_p": &p.MinP, "repeat_penalty": &p.RepeatPen,
		"typical_p": &p.TypicalP, "presence_penalty": &p.PresencePen, "frequency_penalty": &p.FrequencyPen}
	wholes := map[string]**int{"top_k": &p.TopK, "seed": &p.Seed, "repeat_last_n": &p.RepeatLastN}
	counts := map[string]*int{"num_ctx": &p.NumCtx, "num_predict": &p.NumPredict}
	switch {
	case floats[name] != nil:
		if *floats[name] = nil; !unset {
			return number(floats[name])
		}
	case wholes[name] != nil:
		if *wholes[name] = nil; !unset {
			return whole(wholes[name])
		}
	case counts[name] != nil:
		if *counts[name] = 0; !unset {
			var n *int
			if err := whole(&n); err != nil {
				return err
			}
			if *n <= 0 {
				return failure.Refuse("%s must be a number of tokens, not %d", name, *n)
			}
			*counts[name] = *n
		}
	case name == "stop":
		p.Stop = nil
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				p.Stop = append(p.Stop, part)
			}
		}
	case name == "think":
		think, err := storage.ThinkingOf(strings.ToLower(text))
		if err != nil {
			return failure.Refuse("think must be true, false, low, medium or high, not %q", text)
		}
		p.Think = think
	default:
		return fmt.Errorf("unknown setting %q; use one of %s", name, strings.Join(SamplingNames(), ", "))
	}
	return nil
}

// ContextOf is the context length with which a chat asks a model: what is said, or the
// model's own where that is smaller. known is nil where the model is not known.
func (svc *Service) ContextOf(c storage.Chat, known *KnownModel) int {
	if known == nil {
		return svc.SamplingOf(c, c.Model).NumCtx
	}
	n := svc.SamplingOf(c, known.Name).NumCtx
	if known.context > 0 {
		n = min(n, known.context)
	}
	return n
}

// ReplyCap is the longest reply that is asked for: never more than a third of a
// small context, so that there is room for the play.
func (svc *Service) ReplyCap(c storage.Chat, known *KnownModel) int {
	return max(1, min(svc.SamplingOf(c, known.Name).NumPredict, svc.ContextOf(c, known)/3))
}

// Sampling is one of SamplingNames as a chat asks its model.
type Sampling struct {
	Name  string `json:"name"`
	Value string `json:"value"` // "" leaves it to the model
	// Source is who says so: the chat, the model or the settings, their defaults too; ""
	// where nobody does.
	Source string `json:"source"`
}

// The sources of how a chat asks its model.
const (
	FromChat     = "chat"
	FromModel    = "model"
	FromSettings = "settings"
)

// Samplings are all of SamplingNames as a chat asks a model. Without a chat they are how
// any chat does that says nothing itself.
func (svc *Service) Samplings(c storage.Chat, model string) (list []Sampling) {
	inForce, own := svc.SamplingOf(c, model), svc.ModelSampling(model)
	for _, name := range SamplingNames() {
		s := Sampling{Name: name, Value: SamplingText(inForce, name)}
		switch {
		case SamplingText(c.Sampling, name) != "":
			s.Source = FromChat
		case SamplingText(own, name) != "":
			s.Source = FromModel
		case s.Value != "":
			s.Source = FromSettings
		}
		list = append(list, s)
	}
	return list
}
