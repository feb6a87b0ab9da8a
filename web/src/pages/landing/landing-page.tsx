import { When } from '../../components/when.tsx';
import { SiteLayout } from '../site/site-layout.tsx';
import { AssistantDemo } from './assistant-demo.tsx';
import { FeatureCarousel } from './feature-carousel.tsx';
import { Hero } from './hero.tsx';
import { MapDemo } from './map-demo.tsx';
import { Apps, Comparison, HowItWorks, Promises, Questions, Support, Testimonials } from './sections.tsx';
import { Tour } from './tour.tsx';

export function LandingPage() {
  return (
    <SiteLayout path="/">
      <Hero />
      <FeatureCarousel />
      <MapDemo />
      <AssistantDemo />
      <Promises />
      <When holds="othersFromToman">
        <Comparison />
      </When>
      <HowItWorks />
      <Apps />
      <When holds="demonstrations">
        <Testimonials />
      </When>
      <Questions />
      <Support />
      <Tour />
    </SiteLayout>
  );
}
