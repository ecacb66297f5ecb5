import { defineConfig } from 'vite'

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
  },
})
