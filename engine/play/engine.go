package play

const settingLive = "live"
