/** The sounds that clients bring along, by name. */
export const notificationSounds: readonly string[] = (
  'ascend, beep_boop, bink, bright, brlip, chime, deep tom, ding, double tap, down, dry bongos, dutdut, ' +
  'fast ascend, flute, friendly, kick roll, loud tintong, metallic snare, pan, practicechat, shaker, ' +
  'simple, stairs, subtle, swish, tintong, up, wood block, zaping, zing, zulip'
).split(', ')

/** Instead of a sound: silence. */
export const NO_SOUND = 'none'
