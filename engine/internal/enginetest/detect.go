package enginetest

func Detecting(o *Setup) { o.Cfg.Scenes.NoDetect = false }
