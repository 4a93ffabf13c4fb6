import { render } from 'preact';
import { App } from './frame/app.tsx';
import { beginTheme } from './frame/theme.ts';
import { begin } from './state/live.ts';

beginTheme();
const place = document.getElementById('page');
if (place) {
  place.replaceChildren();
  render(<App />, place);
  void begin();
}
