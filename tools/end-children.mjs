/**
 * Loaded before each test file. When its process ends, even because it took too long or the run was stopped, the servers
 * and browsers that its tests started end as well.
 */
import { subscribe } from 'node:diagnostics_channel'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const children = new Set()
  // https://nodejs.org/api/diagnostics_channel.html#child-process
  subscribe('child_process', ({ process: child }) => {
    children.add(child)
    child.once('exit', () => children.delete(child))
  })
  // Without a handler, a signal would end the process without the event `exit`.
  process.once('SIGTERM', () => process.exit(1))
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL')
  })
}
