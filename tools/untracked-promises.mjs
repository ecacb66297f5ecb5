/**
 * Loaded before bundled test files. The test runner follows every promise to find out which test an uncaught error or a
 * call of `after` belongs to, which takes a quarter to a third of the CPU time of the tests. With this script it
 * does not follow them: `after` finds its test in an AsyncLocalStorage, and an uncaught error ends the process. Files
 * that a developer selected run without it.
 */
import { AsyncLocalStorage, AsyncResource, createHook } from 'node:async_hooks'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

/** The exit code of a process with an uncaught error: https://nodejs.org/api/process.html#exit-codes */
const UNCAUGHT_ERROR = 1

/** Lets hooks ignore promises, as with the option `trackPromises: false`, which the test runner does not pass. */
function ignorePromises() {
  const hook = createHook({ trackPromises: false })
  const option = Object.getOwnPropertySymbols(hook).find((symbol) => symbol.description === 'kNoPromiseHook')
  const prototype = Object.getPrototypeOf(hook)
  const { enable } = prototype
  if (option === undefined) return
  prototype.enable = function () {
    this[option] = true
    return enable.call(this)
  }
}

/** Makes `after` register with the test that calls it, and before and after all tests with the process. */
function followTests() {
  const contexts = new AsyncLocalStorage()
  const { runInAsyncScope } = AsyncResource.prototype
  AsyncResource.prototype.runInAsyncScope = function (run, context, ...args) {
    if (context?.constructor?.name !== 'TestContext') return runInAsyncScope.call(this, run, context, ...args)
    return runInAsyncScope.call(this, () => contexts.run(context, () => run.apply(context, args)))
  }
  const runner = createRequire(import.meta.url)('node:test')
  const { after } = runner
  runner.after = (...args) => (contexts.getStore() ?? { after }).after(...args)
  syncBuiltinESMExports()
}

function endWith(error) {
  console.error(error)
  process.exit(UNCAUGHT_ERROR)
}

if (isMainThread) {
  ignorePromises()
  followTests()
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, endWith)
}
