package models

import (
	"cmp"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// settingSampling is the key of the setting that stores the sampling of the models, by their names.
const settingSampling = "sampling"

// SamplingNames returns the names of the sampling values of a chat or a model, as in the config
// file.
func SamplingNames() []string { return SamplingFields.Names() }

// LoadSampling reads the sampling of the models. It is called before the service is used.
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

// ModelSampling returns the stored sampling of a model; values that are not set are empty.
func (svc *Service) ModelSampling(model string) storage.Profile {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	return svc.samplings[model]
}

// SetModelSampling sets one sampling value of a model for all chats; "" removes it.
func (svc *Service) SetModelSampling(model, name, text string) error {
	if model == "" {
		return failure.Refusef("no model is chosen")
	}
	p := svc.ModelSampling(model)
	if err := SamplingFields.Set(&p, name, text); err != nil {
		return err
	}
	return svc.PutModelSampling(model, p)
}

// hasSampling reports whether any sampling value is set.
func hasSampling(p storage.Profile) bool {
	return slices.ContainsFunc(SamplingNames(), func(name string) bool { return SamplingText(p, name) != "" })
}

// SamplingOf returns the sampling for a chat and a model. Each value is the chat's own, or else the
// model's, the one in the settings, or the default.
func (svc *Service) SamplingOf(c storage.Chat, model string) storage.Profile {
	s := mergeProfiles(mergeProfiles(c.Sampling, svc.ModelSampling(model)), svc.core.Settings().Sampling)
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

// mergeProfiles returns p, with the values that it does not set taken from below.
func mergeProfiles(p, below storage.Profile) storage.Profile {
	below.NumCtx, below.NumPredict = cmp.Or(p.NumCtx, below.NumCtx), cmp.Or(p.NumPredict, below.NumPredict)
	below.Temperature, below.TopK = cmp.Or(p.Temperature, below.Temperature), cmp.Or(p.TopK, below.TopK)
	below.TopP, below.MinP = cmp.Or(p.TopP, below.TopP), cmp.Or(p.MinP, below.MinP)
	below.TypicalP, below.Seed = cmp.Or(p.TypicalP, below.TypicalP), cmp.Or(p.Seed, below.Seed)
	below.RepeatPen, below.RepeatLastN = cmp.Or(p.RepeatPen, below.RepeatPen), cmp.Or(p.RepeatLastN, below.RepeatLastN)
	below.PresencePen, below.FrequencyPen = cmp.Or(p.PresencePen, below.PresencePen),
		cmp.Or(p.FrequencyPen, below.FrequencyPen)
	below.Think = cmp.Or(p.Think, below.Think)
	if len(p.Stop) > 0 {
		below.Stop = p.Stop
	}
	return below
}

// CheckSampling returns an error if no server could use p as the sampling of a model or, if c has
// an ID, of a chat that asks it.
func (svc *Service) CheckSampling(c storage.Chat, model string, p storage.Profile) error {
	if err := SamplingFields.Valid(&p); err != nil {
		return err
	}
	if c.ID == "" {
		p = mergeProfiles(p, svc.core.Settings().Sampling)
	} else {
		p = mergeProfiles(mergeProfiles(p, svc.ModelSampling(model)), svc.core.Settings().Sampling)
	}
	n, reply := cmp.Or(p.NumCtx, config.DefaultContext), cmp.Or(p.NumPredict, config.DefaultReply)
	if reply >= n {
		return tooLongReply(reply, n)
	}
	return nil
}

// SamplingText returns one value of SamplingNames as text, "" if it is not set.
func SamplingText(p storage.Profile, name string) string { return SamplingFields.Find(name).Get(&p) }

// ContextOf returns the context length of a chat's requests: the configured one, or the model's own
// if that is smaller. known is nil if the model is not known.
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

// ReplyCap returns the length limit of a reply in tokens: never more than a third of a small
// context, so that there is room for the play.
func (svc *Service) ReplyCap(c storage.Chat, known *KnownModel) int {
	return max(1, min(svc.SamplingOf(c, known.Name).NumPredict, svc.ContextOf(c, known)/3))
}

// Sampling is the value of one of SamplingNames for a chat and its model.
type Sampling struct {
	Name  string `json:"name"`
	Value string `json:"value"` // "" leaves it to the model
	// Source is FromChat, FromModel or the settings, which include the defaults; "" if the value is
	// not set.
	Source string `json:"source"`
}

// The sources of sampling values.
const (
	FromChat     = "chat"
	FromModel    = "model"
	FromSettings = "settings"
)

// Samplings returns all of SamplingNames with the values for a chat and a model. If c is empty, the
// values are those of a chat without its own.
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
