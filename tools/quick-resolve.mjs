/**
 * Loaded before the server: answers at once where an import leads that names a file of this project, or one of the two
 * packages that consist of hundreds of files, in full. Node asks the disk several times for each of a thousand of them.
 * What it does not know is Node's to answer, and nothing depends on it.
 */
import { registerHooks } from 'node:module'

const packages = new Map(['kysely', 'zod'].map((name) => [name, import.meta.resolve(name)]))
const folders = [...packages.values()].map((url) => new URL('.', url).href)

registerHooks({
  resolve(specifier, context, next) {
    const format = formatOf(specifier, context.parentURL)
    if (format === null) return next(specifier, context)
    const url = packages.get(specifier) ?? new URL(specifier, context.parentURL).href
    return { url, format, shortCircuit: true }
  },
})

/** Of the module that it names, when it names one of those; null for any other. */
function formatOf(specifier, parent = '') {
  if (specifier.startsWith('.')) {
    if (specifier.endsWith('.ts')) return 'module-typescript'
    return specifier.endsWith('.js') && folders.some((folder) => parent.startsWith(folder)) ? 'module' : null
  }
  return packages.has(specifier) && parent.endsWith('.ts') ? 'module' : null
}
