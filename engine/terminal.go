package engine

const settingTerminal = "terminal"

// RememberTerminal keeps how the screen shows pictures on its terminal, in words;
// Terminal gives it back where there is no terminal to be asked.
func (e *Engine) RememberTerminal(words string) error { return e.putSetting(settingTerminal, words) }

// Terminal is what the screen found about its terminal when it ran last, "" when
// it has not run.
func (e *Engine) Terminal() string { return e.Setting(settingTerminal) }
