/** The names of the sounds that clients can play. */
export const notificationSounds: readonly string[] = (
  'ascend, beep_boop, bink, bright, brlip, chime, deep tom, ding, double tap, down, dry bongos, dutdut, ' +
  'fast ascend, flute, friendly, kick roll, loud tintong, metallic snare, pan, practicechat, shaker, ' +
  'simple, stairs, subtle, swish, tintong, up, wood block, zaping, zing, zulip'
).split(', ')

export const NO_SOUND = 'none'
