import { join } from 'node:path'
import { defineConfig } from 'vite'

const fileOf = (name: string) => join(import.meta.dirname, name)

// biome-ignore lint/style/noDefaultExport: Vite reads it so
export default defineConfig({
  clearScreen: false,
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: ['chrome125', 'edge125', 'firefox128', 'safari18'],
    // The content security policy allows nothing inline, data: URLs neither.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: fileOf('index.html'), 'service-worker': fileOf('app/notifications/service-worker.ts') },
      output: {
        // Of the service worker the browser knows the address alone, and asks there for a newer one.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
})
