import { t } from '../../text/t.ts'

/** A tone: its frequency in hertz, and the time at which it starts, in seconds. */
type Tone = readonly [frequency: number, start: number]

type Sound = { id: string; label: string; tones: readonly Tone[]; length: number; wave?: OscillatorType }

/** The sounds of this client, by their names in the API. The first one replaces sounds that only other clients have. */
export const NOTIFICATION_SOUNDS: readonly Sound[] = [
  {
    id: 'zulip',
    label: t('Two notes'),
    tones: [
      [659, 0],
      [880, 0.125],
    ],
    length: 0.5,
  },
  { id: 'ding', label: t('Ding'), tones: [[1047, 0]], length: 0.7 },
  {
    id: 'chime',
    label: t('Chime'),
    tones: [
      [523, 0],
      [659, 0.15],
      [784, 0.3],
    ],
    length: 0.9,
  },
  { id: 'bink', label: t('Blip'), tones: [[1319, 0]], length: 0.15 },
  {
    id: 'wood block',
    label: t('Wood block'),
    tones: [
      [392, 0],
      [330, 0.12],
    ],
    length: 0.3,
    wave: 'triangle',
  },
]

export const NO_SOUND = 'none'

const LOUDNESS = 0.12

/** The time that the browser has to allow a sound, in milliseconds. */
const PATIENCE = 1000

let context: AudioContext | undefined

/** Plays a sound. Stays silent if the browser requires a user gesture first. */
export async function playSound(name: string): Promise<void> {
  if (name === NO_SOUND) return
  context ??= new AudioContext()
  // Notes that are scheduled on a suspended clock would all sound at once when it resumes.
  if (!(await isRunning(context))) return
  const { tones, length, wave = 'sine' } = NOTIFICATION_SOUNDS.find(({ id }) => id === name) ?? NOTIFICATION_SOUNDS[0]!
  const { currentTime: now, destination } = context
  const volume = context.createGain()
  volume.gain.setValueAtTime(LOUDNESS, now)
  volume.gain.exponentialRampToValueAtTime(0.001, now + length)
  volume.connect(destination)
  for (const [frequency, start] of tones) {
    const tone = context.createOscillator()
    tone.type = wave
    tone.frequency.value = frequency
    tone.connect(volume)
    tone.start(now + start)
    tone.stop(now + length)
  }
}

async function isRunning(context: AudioContext): Promise<boolean> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE))
  await Promise.race([context.resume(), late])
  return context.state === 'running'
}
