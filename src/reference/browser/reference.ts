import './reference.css';
import { part } from './elements.ts';
import { offerKey } from './key.ts';
import { offerLanguages } from './samples.ts';
import { followScrolling, offerMenu, offerSearch } from './search.ts';
import { applySavedTheme, offerThemes } from './theme.ts';

/** Adds to the rendered page what needs a script. The page's head loads it, so that the saved theme applies at first. */
applySavedTheme();
addEventListener('DOMContentLoaded', () => {
  part('.tools').hidden = false;
  offerThemes();
  offerKey();
  offerLanguages();
  offerSearch();
  offerMenu();
  followScrolling();
  // The parts that were added have moved the target of the address.
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
});
