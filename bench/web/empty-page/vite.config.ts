import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite reads it so
export default defineConfig({ clearScreen: false, build: { modulePreload: { polyfill: false } } })
