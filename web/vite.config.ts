import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'
import { FIRST_VIEW_CHUNKS } from './chunks.ts'
import { onlyEnglishComponentTexts } from './component-texts.ts'
import { helpPages } from './help-pages.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string
}

const fileOf = (name: string) => join(import.meta.dirname, name)

/** Leaves out the older formats of KaTeX's fonts. All supported browsers have WOFF2. */
const woff2Only = {
  name: 'woff2-only',
  enforce: 'pre',
  transform: (code: string, id: string) =>
    id.includes('katex') && id.endsWith('.css')
      ? { code: code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, ''), map: null }
      : null,
} as const

/** Keeps CSS modules whose class names are all inlined. */
const keepStyles = {
  name: 'keep-styles',
  enforce: 'post',
  transform: (code: string, id: string) =>
    id.endsWith('.module.css') ? { code, map: null, moduleSideEffects: 'no-treeshake' as const } : null,
} as const

// biome-ignore lint/style/noDefaultExport: Vite requires it
export default defineConfig({
  clearScreen: false,
  define: { 'import.meta.env.PARLEY_VERSION': JSON.stringify(version) },
  plugins: [woff2Only, keepStyles, onlyEnglishComponentTexts(), helpPages()],
  // Class names stay as they are written: tools/check-styles.ts keeps them unique.
  css: { modules: { generateScopedName: '[local]', localsConvention: 'camelCaseOnly' } },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: ['chrome125', 'edge125', 'firefox128', 'safari18'],
    // The content security policy allows neither inline content nor data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: '.licenses.json' },
    rolldownOptions: {
      optimization: { inlineConst: { mode: 'all', pass: 1 } },
      input: { index: fileOf('index.html'), 'service-worker': fileOf('app/notifications/service-worker.ts') },
      output: {
        codeSplitting: { groups: FIRST_VIEW_CHUNKS },
        // The service worker needs a fixed address, where the browser checks for a newer version.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
})
