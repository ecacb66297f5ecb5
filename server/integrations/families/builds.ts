// The outcomes of builds, deployments and jobs, and the states of monitored services, under the names that services
// give them.

type Outcome = { readonly icon: string; readonly words: string }

const SUCCEEDED: Outcome = { icon: '✅', words: 'succeeded' }
const FAILED: Outcome = { icon: '❌', words: 'failed' }
const CANCELED: Outcome = { icon: '⚠️', words: 'was canceled' }
const STARTED: Outcome = { icon: '⏳', words: 'started' }

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  success: SUCCEEDED,
  successful: SUCCEEDED,
  succeeded: SUCCEEDED,
  passed: SUCCEEDED,
  completed: SUCCEEDED,
  fixed: SUCCEEDED,
  failure: FAILED,
  failed: FAILED,
  error: FAILED,
  errored: FAILED,
  broken: FAILED,
  canceled: CANCELED,
  cancelled: CANCELED,
  stopped: { icon: '⚠️', words: 'was stopped' },
  skipped: { icon: '⚠️', words: 'was skipped' },
  started: STARTED,
  new: STARTED,
  running: { icon: '⏳', words: 'is running' },
  testing: STARTED,
  pending: { icon: '⏳', words: 'is pending' },
  waiting: { icon: '⏳', words: 'is waiting' },
}

/** Returns how a build or job ended, from the name that its service gives the status. */
export function outcomeOf(status: string): Outcome {
  const name = status.toLowerCase()
  return Object.hasOwn(OUTCOMES, name)
    ? (OUTCOMES[name] as Outcome)
    : { icon: '⚠️', words: `has the status ${name.replaceAll('_', ' ')}` }
}
