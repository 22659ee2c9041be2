#pragma once
#define COST(x) ((void)0)
