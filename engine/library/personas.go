package library

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PersonaImport is the result of importing a backup of personas. Existing counts those that were
// already stored with the same texts.
type PersonaImport struct {
	Personas []storage.Persona `json:"personas"`
	Existing int               `json:"had"`
	Warnings []string          `json:"warnings"`
}

// ImportPersonas imports a backup of personas in one transaction. The default persona stays, if
// there is one.
func (svc *Service) ImportPersonas(path string) (got PersonaImport, err error) {
	list, warnings, err := formats.ReadPersonasFile(core.ExpandHome(path))
	if err != nil {
		return got, failure.Wrap("import", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		got = PersonaImport{Warnings: warnings}
		type words struct{ name, about string }
		have := map[words]bool{}
		for _, p := range storage.Personas.All(tx) {
			have[words{p.Name, p.Description}] = true
		}
		nobody, now := len(have) == 0, svc.core.Config.Now()
		for i, one := range list {
			if have[words{one.Name, one.Description}] {
				got.Existing++
				continue
			}
			have[words{one.Name, one.Description}] = true
			p := storage.Persona{ID: storage.PersonaID(storage.NewID()), Name: one.Name, Description: one.Description,
				CreatedAt: now, UpdatedAt: now,
				Default: nobody && (one.Default || i == len(list)-1 && chats.DefaultPersona(tx).ID == "")}
			if err := storage.Personas.Put(tx, p.ID, p); err != nil {
				return err
			}
			got.Personas = append(got.Personas, p)
		}
		return nil
	})
	if err != nil {
		return PersonaImport{}, failure.Wrap("import", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return got, nil
}
