/** The two notes, in hertz, and the duration of both, in seconds. */
const NOTES = [659, 880] as const
const LENGTH = 0.5
const LOUDNESS = 0.12

/** Time that the browser has to allow a sound, in milliseconds. */
const PATIENCE = 1000

let context: AudioContext | undefined

/** Plays two notes. Stays silent if the browser requires a user gesture first. */
export async function playSound(): Promise<void> {
  context ??= new AudioContext()
  // Notes that are scheduled on a suspended clock would all sound at once when it resumes.
  if (!(await isRunning(context))) return
  const { currentTime: now, destination } = context
  const volume = context.createGain()
  volume.gain.setValueAtTime(LOUDNESS, now)
  volume.gain.exponentialRampToValueAtTime(0.001, now + LENGTH)
  volume.connect(destination)
  for (const [at, record] of NOTES.entries()) {
    const tone = context.createOscillator()
    tone.frequency.value = record
    tone.connect(volume)
    tone.start(now + (at * LENGTH) / 4)
    tone.stop(now + LENGTH)
  }
}

async function isRunning(context: AudioContext): Promise<boolean> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE))
  await Promise.race([context.resume(), late])
  return context.state === 'running'
}
