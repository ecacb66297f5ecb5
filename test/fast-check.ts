import fc from 'fast-check'
import { seed } from './size.ts'

// Tests with random values import fast-check from here, so that its seed is that of the run.

fc.configureGlobal({ seed })

export { fc }
